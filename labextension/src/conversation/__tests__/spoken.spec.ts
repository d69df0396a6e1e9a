/**
 * What is read aloud: each part once, when it is complete.
 */
import { Segment } from '../../protocol';
import { textsFor } from '../../widget/language';
import { Heard, unheard } from '../spoken';

const TEXTS = textsFor(['en']);

function answer(text: string, is_whole: boolean): Segment {
  return { type: 'text', id: 's1', text, is_whole, interrupted: '' };
}

test('a growing answer is read part by part, each once', () => {
  const whole = '# Sales\n\nThe **sum** is 42.\n\n```python\nlen(df)\n```\n\nThat is all.';
  const read: string[] = [];
  let heard: Heard = new Map();
  for (let end = 0; end <= whole.length; end++) {
    const found = unheard([answer(whole.slice(0, end), end === whole.length)], heard, TEXTS);
    read.push(...found.parts);
    heard = found.heard;
  }
  expect(read).toEqual(['Sales', 'The sum is 42.', 'That is all.']);
});

test('what is said of a run is read too, what a call puts out is not', () => {
  const notice: Segment = { type: 'notice', id: 's2', text: 'No key is set.', is_warning: true };
  const found = unheard([answer('Yes.', true), notice], new Map([['s1', 1]]), TEXTS);
  expect(found.parts).toEqual(['No key is set.']);
});
