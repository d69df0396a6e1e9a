/**
 * What is said of a thing that was not done: in the reader's language where the words are ours.
 */
import { NOBODY, said } from '../said';

const TEXTS = { __: (text: string) => `translated: ${text}` };

test('a question that nobody answers is rejected in the language of the reader', () => {
  expect(said(NOBODY, TEXTS)).toBe(`translated: ${NOBODY}`);
});

test('a sentence of the kernel stays as it is', () => {
  expect(said('No session of that name.', TEXTS)).toBe('No session of that name.');
  expect(said('', TEXTS)).toBe('');
});
