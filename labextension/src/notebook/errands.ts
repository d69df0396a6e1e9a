/**
 * What the kernel asks of its front end: to run code in the notebook, to read and to change its cells.
 */
import { IDisposable } from '@lumino/disposable';

import { Request } from '../kernel/client';
import { NotebookExecutor } from './notebook';
import { IRunMessage, KernelMessage } from '../protocol';

/**
 * The errands of one notebook's agent; each is answered by a request.
 */
export class Errands implements IDisposable {
  constructor(executor: NotebookExecutor, send: (request: Request) => boolean) {
    this._executor = executor;
    this._send = send;
  }

  get isDisposed(): boolean {
    return this._executor.isDisposed;
  }

  dispose(): void {
    this._executor.dispose();
  }

  /** Do what `message` asks, if it asks for anything. */
  take(message: KernelMessage): void {
    switch (message.type) {
      case 'run':
        this._announce(message);
        break;
      case 'proceed':
        // Not awaited: while this handler runs, no other message of the kernel is handled.
        void this._proceed(message.request_id);
        break;
      case 'notebook':
        this._send({ type: 'notebook_done', request_id: message.request_id, ...this._executor.answer(message) });
        break;
      case 'withdrawn':
        this._executor.withdraw(message.request_id);
        break;
    }
  }

  private _announce(run: IRunMessage): void {
    const { request_id } = run;
    if (this._executor.canRun) {
      this._send({ type: 'announced', request_id, cell_id: this._executor.announce(run) });
    } else {
      this._send({ type: 'ran', request_id, status: 'refused' });
    }
  }

  private async _proceed(request_id: string): Promise<void> {
    const status = await this._executor.proceed(request_id);
    if (status) {
      this._send({ type: 'ran', request_id, status });
    }
  }

  private readonly _executor: NotebookExecutor;
  private readonly _send: (request: Request) => boolean;
}
