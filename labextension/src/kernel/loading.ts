/**
 * Loading the extension into a kernel, or learning why that cannot be.
 */
import { Kernel, KernelMessage } from '@jupyterlab/services';

import { Connection } from '../conversation/reduce';

// Not a magic, which would print that the extension is loaded already. What a comm needs is imported
// too: a library that is missing is an error here, and silence when the comm is opened. Other threads of the
// kernel may be loading parts of the package at this moment: `load` waits for them.
const LOAD = [
  "get_ipython().extension_manager.load_extension('pi_notebook')",
  "__import__('pi_notebook._loading', fromlist=['load']).load('pi_notebook.ui.panel.bridge')"
].join('\n');

const MAX_TRIES = 20;

const ABSENT = "ModuleNotFoundError: No module named 'pi_notebook'";

/** What keeps the kernel from being talked to; the extension is loaded when nothing does. */
export async function findProblem(kernel: Kernel.IKernelConnection): Promise<Connection | null> {
  const info = await kernel.info;
  const language = info.language_info.name;
  if (language !== 'python' && language !== 'ipython') {
    return { kind: 'wrong-language', language };
  }
  const content = await run(kernel, LOAD);
  if (content.status === 'ok') {
    return null;
  }
  const detail = content.status === 'error' ? `${content.ename}: ${content.evalue}` : '';
  return detail === ABSENT ? { kind: 'not-installed' } : { kind: 'failed', detail };
}

/** Run `code` unseen. A cell that fails takes all with it that waits behind it: then once more. */
async function run(kernel: Kernel.IKernelConnection, code: string): Promise<KernelMessage.IExecuteReplyMsg['content']> {
  const quietly = { silent: true, store_history: false, allow_stdin: false, stop_on_error: false };
  for (let tries = 1; ; tries++) {
    const { content } = await replyTo(kernel.requestExecute({ code, ...quietly }));
    if (!content.status.startsWith('abort') || tries === MAX_TRIES) {
      return content;
    }
  }
}

/** What is answered. That the kernel is idle then, for which `done` waits too, is among what may not get through. */
function replyTo(asked: ReturnType<Kernel.IKernelConnection['requestExecute']>): Promise<KernelMessage.IExecuteReplyMsg> {
  return new Promise((resolve, reject) => {
    asked.onReply = resolve;
    asked.done.then(resolve, reject);
  });
}
