/**
 * What was asked of the kernel and is not answered yet.
 */
import { PromiseDelegate } from '@lumino/coreutils';

import { KernelMessage } from '../protocol';

/** Why a question is rejected when there is nobody to answer it; told in words by `said`. */
export const NOBODY = 'The kernel is not connected.';

/** Why it is rejected when the answer is of another form than this panel knows; told in words by `said`. */
export const UNREADABLE = 'The answer of the kernel could not be read.';

/**
 * The open questions by their `request_id`; each is answered once, or rejected with one sentence.
 */
export class Questions {
  /** Wait for the answer to `requestId`. */
  open(requestId: string): Promise<KernelMessage> {
    const asked = new PromiseDelegate<KernelMessage>();
    this._open.set(requestId, asked);
    return asked.promise;
  }

  /** Give a question its answer; false when `message` is none, or nobody waits for it. */
  settle(message: KernelMessage): boolean {
    const requestId = 'request_id' in message ? message.request_id : '';
    const asked = this._open.get(requestId);
    this._open.delete(requestId);
    if (message.type === 'failed') {
      asked?.reject(new Error(message.text));
    } else {
      asked?.resolve(message);
    }
    return asked !== undefined;
  }

  /** What came, in `data`, cannot be read: if it was to be an answer, there is none to wait for. */
  spoil(data: unknown): void {
    const { request_id: requestId } = (data ?? {}) as { readonly request_id?: unknown };
    if (typeof requestId === 'string') {
      this._open.get(requestId)?.reject(new Error(UNREADABLE));
      this._open.delete(requestId);
    }
  }

  /** Nobody answers any more. */
  reject(): void {
    this._open.forEach(asked => asked.reject(new Error(NOBODY)));
    this._open.clear();
  }

  private readonly _open = new Map<string, PromiseDelegate<KernelMessage>>();
}
