/**
 * The inspector of the widget speaks the language of its page.
 */
import { textsFor } from '../language';

test.each(['zh', 'zh-CN', 'zh-Hans-SG'])('a page in %s is told in Chinese', language => {
  const texts = textsFor(['', language]);
  expect(texts.__('Restore %1', 'a cell')).toBe('恢复“a cell”');
  expect(texts.__('a text that nobody translated')).toBe('a text that nobody translated');
});

test.each(['en', 'de-AT', 'zh-TW', 'zh-Hant-HK', 'zhx'])('a page in %s is told in English', language => {
  expect(textsFor([language]).__('Restore %1', 'a cell')).toBe('Restore a cell');
});

test('what is missing of the values is nothing, and a name of every object is no translation', () => {
  expect(textsFor(['zh']).__('%1 and %2', 1)).toBe('1 and ');
  expect(textsFor(['zh']).__('constructor')).toBe('constructor');
});
