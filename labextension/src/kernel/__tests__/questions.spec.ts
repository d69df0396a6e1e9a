/**
 * Questions and what becomes of them.
 */
import { KernelMessage } from '../../protocol';
import { NOBODY, Questions, UNREADABLE } from '../questions';

const DONE = { type: 'done', request_id: 'a', text: 'yes', path: '' } as KernelMessage;

test('a question gets the answer of its own number, once', async () => {
  const questions = new Questions();
  const [first, second] = [questions.open('a'), questions.open('b')];
  expect([questions.settle(DONE), questions.settle(DONE)]).toEqual([true, false]);
  expect(questions.settle({ type: 'failed', request_id: 'b', text: 'No.' } as KernelMessage)).toBe(true);
  await expect(first).resolves.toBe(DONE);
  await expect(second).rejects.toThrow('No.');
});

test('an answer that cannot be read ends its question, and what is no answer ends none', async () => {
  const questions = new Questions();
  const [first, second] = [questions.open('a'), questions.open('b')];
  [null, 7, 'a', {}, { request_id: 3 }, { request_id: 'z' }, { type: 'done', request_id: 'a' }].forEach(data =>
    questions.spoil(data)
  );
  await expect(first).rejects.toThrow(UNREADABLE);
  questions.reject();
  await expect(second).rejects.toThrow(NOBODY);
});
