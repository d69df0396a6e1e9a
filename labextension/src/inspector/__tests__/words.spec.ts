/**
 * The words of the wire in the language of the reader.
 */
import { ICompactionRow, IFileRow } from '../../protocol';
import { textsFor } from '../../widget/language';
import { deedOf, editorName, occasionName, whoName, writerName } from '../words';

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

test('who wrote a summary is told where it is known', () => {
  const by = (by: ICompactionRow['by']): string => writerName({ by, model: 'm' } as ICompactionRow, CHINESE);
  expect(['model', 'program', 'hook', ''].map(one => by(one as ICompactionRow['by']))).toEqual(['m', '程序（列表）', '钩子', '']);
});

test('a file that was renamed goes by its new path, another by what was done to it', () => {
  const file: IFileRow = {
    path: 'a.csv',
    reads: 0,
    writes: 0,
    modifications: 0,
    last: 'deleted',
    renamed_to: 'b.csv',
    by: ['you'],
    time: 1
  };
  expect(deedOf(file, CHINESE)).toBe('已重命名为 b.csv');
  expect(deedOf({ ...file, renamed_to: '' }, CHINESE)).toBe('已删除');
});
