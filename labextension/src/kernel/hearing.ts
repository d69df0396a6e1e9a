/**
 * Noticing that not all that a kernel has said got here, of which nobody is told in so many words.
 */
import { KernelMessage as Jupyter } from '@jupyterlab/services';

/** What the server writes into the output when it leaves out what comes too fast, the panel's messages too. */
const THROTTLED = /^\s*IOPub (data|message) rate exceeded/;

/**
 * Listens to one kernel.
 */
export class Hearing {
  /** What `message` shows: that the kernel was started anew, or that something was left out and is no longer. */
  hear(message: Jupyter.IIOPubMessage): 'restarted' | 'gap' | null {
    if (this._isOfAnother(message)) {
      return 'restarted';
    }
    if (Jupyter.isStreamMsg(message)) {
      this._isThrottled ||= THROTTLED.test(message.content.text);
    } else if (this._isThrottled && (isIdle(message) || Jupyter.isCommMsgMsg(message))) {
      this._isThrottled = false;
      return 'gap';
    }
    return null;
  }

  /** Another kernel will be listened to. */
  reset(): void {
    this._process = '';
    this._isThrottled = false;
  }

  /** Whether another process of the kernel speaks than before; the server, which speaks in its name, counts for none. */
  private _isOfAnother(message: Jupyter.IIOPubMessage): boolean {
    const before = this._process;
    if (Jupyter.isStatusMsg(message) && ['busy', 'idle'].includes(message.content.execution_state)) {
      this._process = message.header.session;
    }
    return before !== '' && this._process !== before;
  }

  private _isThrottled = false;
  private _process = '';
}

function isIdle(message: Jupyter.IIOPubMessage): boolean {
  return Jupyter.isStatusMsg(message) && message.content.execution_state === 'idle';
}
