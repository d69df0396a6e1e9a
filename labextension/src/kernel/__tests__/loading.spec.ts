/**
 * What is made of what a kernel answers when the extension is loaded into it.
 */
import { Kernel } from '@jupyterlab/services';

import { findProblem } from '../loading';

/** A kernel that answers code with `replies`, the last of them again and again. */
function kernelOf(language: string, ...replies: object[]): Kernel.IKernelConnection {
  const requestExecute = (): object => {
    const content = replies.length > 1 ? replies.shift() : replies[0];
    return { done: Promise.resolve({ content }) };
  };
  const info = Promise.resolve({ language_info: { name: language } });
  return { info, requestExecute } as unknown as Kernel.IKernelConnection;
}

const OK = { status: 'ok' };
const ABORTED = { status: 'aborted' };

test('a kernel that takes the extension has no problem', async () => {
  expect(await findProblem(kernelOf('python', OK))).toBeNull();
});

test('cells that fail in front of it do not keep the extension out', async () => {
  expect(await findProblem(kernelOf('python', ABORTED, { status: 'abort' }, ABORTED, OK))).toBeNull();
});

test.each([
  [['R', OK], { kind: 'wrong-language', language: 'R' }],
  [['python', ABORTED], { kind: 'failed', detail: '' }],
  [['python', { status: 'error', ename: 'OSError', evalue: 'full' }], { kind: 'failed', detail: 'OSError: full' }],
  [
    ['python', { status: 'error', ename: 'ModuleNotFoundError', evalue: "No module named 'pi_notebook'" }],
    { kind: 'not-installed' }
  ]
] as [[string, object], object][])('%j', async ([language, reply], problem) => {
  expect(await findProblem(kernelOf(language, reply))).toEqual(problem);
});
