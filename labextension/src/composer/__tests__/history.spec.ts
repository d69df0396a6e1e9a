/**
 * Going through earlier prompts.
 */
import { AT_END, isAtEdge, IPlace, promptsIn, recall } from '../history';
import { Segment } from '../../protocol';

function prompt(text: string): Segment {
  return { type: 'prompt', id: text, entry_id: text, text, images: [] };
}

test('a prompt that was repeated is gone through once', () => {
  const answer: Segment = { type: 'text', id: 'a', text: 'yes', is_whole: true, interrupted: '' };
  expect(promptsIn([prompt('one'), answer, prompt('two'), prompt('two'), prompt('one')])).toEqual(['one', 'two', 'one']);
});

test('what was being written is there again at the end', () => {
  const prompts = ['one', 'two'];
  let place: IPlace = AT_END;
  let text = 'mine';
  const seen: string[] = [];
  for (const step of [1, 1, 1, -1, -1, -1] as const) {
    const recalled = recall(prompts, place, text, step);
    seen.push(recalled?.text ?? '-');
    ({ place, text } = recalled ?? { place, text });
  }
  expect(seen).toEqual(['two', 'one', '-', 'two', 'mine', '-']);
});

test.each([
  ['one', 1, 1, true],
  ['one\ntwo', 5, 1, false],
  ['one\ntwo', 2, 1, true],
  ['one\ntwo', 2, -1, false],
  ['one\ntwo', 5, -1, true],
  ['', 0, -1, true]
] as const)('in %j at %d a step of %d leaves the text: %p', (text, caret, step, isLeft) => {
  expect(isAtEdge(text, caret, step)).toBe(isLeft);
});
