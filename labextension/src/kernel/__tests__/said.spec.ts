/**
 * What the kernel says reaches the person in their language, where the words are ours.
 */
import { textsFor } from '../../widget/language';
import { NOBODY } from '../questions';
import { said, saidAtEnd } from '../said';
import { SENTENCES } from '../sentences';

const ENGLISH = textsFor(['en']);
const CHINESE = textsFor(['zh']);

test.each([
  [NOBODY, '内核未连接。'],
  ['Write a name.', '请写一个名称。'],
  ['The session is in the trash: /home/a b/x.jsonl', '会话已移到回收站：/home/a b/x.jsonl'],
  ['The run was ended: it has used 5,012 tokens, of 5,000 (budget.tokens). %agent continue goes on with a new budget; ' +
      '%agent settings budget.tokens N changes it.',
    '本次运行已结束：已使用 5,012 token，上限 5,000（budget.tokens）。用 %agent continue 可以用新的预算继续；' +
      '用 %agent settings budget.tokens N 可更改预算。'],
  ['2 older results shortened: about 8,211 tokens free.', '已缩短 2 个较早的结果：腾出约 8,211 个 token。'],
  ['gpt-5 is overloaded. Try again in 3 s. (It said: Overloaded.) Asking again in 3 s (1 of 4).',
    'gpt-5 过载。请在 3 秒后重试。（对方的说明：Overloaded.） 将在 3 秒后重新请求（第 1 次，共 4 次）。'],
  ['line 3: is damaged and was skipped\nline 9: is damaged and was skipped',
    '第 3 行：已损坏，已跳过\n第 9 行：已损坏，已跳过']
])('%s is told in Chinese', (text, chinese) => {
  expect(said(text, CHINESE)).toBe(chinese);
});

test('what follows a known sentence stays where it is', () => {
  const text = 'There is no model gpt-9 at the provider. Did you mean gpt-5? (It said: model_not_found)';
  expect(said(text, CHINESE)).toBe('服务商没有模型 gpt-9。您是指 gpt-5 吗？（对方的说明：model_not_found）');
});

test.each(['No session of that name.', 'Traceback: in cell, 3 tokens', 'foo calls', ''])(
  'a sentence of no known form stays as it is: %s',
  text => {
    expect(said(text, CHINESE)).toBe(text);
  }
);

test('of what others wrote only the line is told that says how much was cut off', () => {
  const text = 'It was stopped.\nWrite a name.';
  expect(saidAtEnd(`${text}\n… (9,000 more characters)`, CHINESE)).toBe(`${text}\n…（另有 9,000 个字符）`);
  expect(saidAtEnd(text, CHINESE)).toBe(text);
  expect(saidAtEnd('Write a name.', CHINESE)).toBe('Write a name.');
});

test('in English everything stays as it is, whatever is filled in', () => {
  for (const form of SENTENCES) {
    for (const value of ['12', 'a.b: c', ' ', '%1 $& (x)', 'It was stopped.']) {
      const text = form.replace(/%\d/g, () => value);
      expect(said(text, ENGLISH)).toBe(text);
    }
  }
});

test('in Chinese what is filled in is still there', () => {
  for (const form of SENTENCES) {
    const values = [...form.matchAll(/%(\d)/g)].map(([, number]) => `${number}731`);
    const text = form.replace(/%(\d)/g, (_, number: string) => `${number}731`);
    const told = said(text, CHINESE);
    expect(told).not.toBe(text);
    values.forEach(value => expect(told).toContain(value));
  }
});

test('a long text is soon told, whatever it is', () => {
  const begun = performance.now();
  for (const text of ['. '.repeat(1999), ': '.repeat(1999), 'Did you mean '.repeat(300), 'x'.repeat(1_000_000)]) {
    expect(said(text, CHINESE)).toHaveLength(text.length);
  }
  expect(performance.now() - begun).toBeLessThan(5000);
});
