/**
 * The words of the wire in the language of the reader.
 */
import { textsFor } from '../../widget/language';
import { editorName, occasionName, whoName } from '../words';

const CHINESE = textsFor(['zh']);

test('who changed an entry is told with the note they left', () => {
  expect(editorName('you', CHINESE)).toBe(whoName('you', CHINESE));
  expect(editorName('model: old: not needed', CHINESE)).toBe('智能体: old: not needed');
  expect(editorName('notebook', CHINESE)).toBe('notebook');
  expect(editorName('', CHINESE)).toBe('');
});

test('an occasion that is not known is told by its name', () => {
  expect(occasionName('manual', CHINESE)).toBe('手动请求');
  expect(occasionName('nightly', CHINESE)).toBe('nightly');
});
