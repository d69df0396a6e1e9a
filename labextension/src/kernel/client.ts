/**
 * The way to the session in one notebook's kernel: loads the extension, opens the comm, opens it again.
 *
 * Knows no conversation and draws nothing.
 */
import { ISessionContext } from '@jupyterlab/apputils';
import { Kernel, KernelMessage as Jupyter } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';
import { JSONObject, PromiseDelegate, UUID } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import { findProblem } from './loading';
import { parseMessage } from './message';
import { IReplies } from './replies';
import { IHelloMessage, KernelMessage, PanelRequest, PROTOCOL_VERSION } from '../protocol';
import { Connection } from '../conversation/reduce';
import { NOBODY } from './said';

const TARGET = 'pi_notebook';

/** How long to wait for the comm's own subshell; a kernel that has none never says so. */
const SUBSHELL_MS = 2000;

/** JupyterLab's comms tell when their subshell is there; its older releases have neither. */
interface ISubshellComm extends Kernel.IComm {
  readonly subshellStarted?: Promise<void>;
}

type WithoutNonce<T> = T extends unknown ? Omit<T, 'nonce'> : never;

/** What the panel asks for; the nonce is the client's affair. */
export type Request = WithoutNonce<Exclude<PanelRequest, { type: 'hello' }>>;

type WithoutId<T> = T extends unknown ? Omit<T, 'request_id'> : never;

/** A question of that type, without what the client adds. */
export type Question<T extends keyof IReplies> = WithoutId<Extract<Request, { type: T }>> & { readonly type: T };

/**
 * One notebook's comm. It is connected whenever the kernel can be talked to.
 */
export class AgentClient implements IDisposable {
  constructor(context: ISessionContext, hint: () => string) {
    this._context = context;
    this._hint = hint;
    context.kernelChanged.connect(this._onKernelChanged, this);
    context.statusChanged.connect(this._onStatusChanged, this);
    context.connectionStatusChanged.connect(this._onConnectionStatusChanged, this);
  }

  /** Emitted with each message of the kernel, in order. */
  get received(): ISignal<this, KernelMessage> {
    return this._received;
  }

  /** Emitted when there is another answer to whether the kernel can be talked to. */
  get connectionChanged(): ISignal<this, Connection> {
    return this._connectionChanged;
  }

  get kernel(): Kernel.IKernelConnection | null {
    return this._context.session?.kernel ?? null;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._drop(true);
    Signal.clearData(this);
  }

  /** Begin anew with the kernel that is there now. */
  connect(): void {
    this._drop(true);
    const kernel = this.kernel;
    if (!kernel) {
      this._tell({ kind: 'no-kernel' });
      return;
    }
    this._tell({ kind: 'connecting' });
    const attempt = ++this._attempt;
    this._open(kernel, attempt).catch((reason: unknown) => {
      if (attempt === this._attempt && !this._isDisposed) {
        this._tell({ kind: 'failed', detail: String(reason) });
      }
    });
  }

  /** Send `request`; false when there is nobody to send it to. */
  send(request: Request): boolean {
    if (!this._comm || this._comm.isDisposed || !this._nonce) {
      return false;
    }
    this._comm.send({ ...request, nonce: this._nonce } as unknown as JSONObject);
    return true;
  }

  /**
   * Send a question; its answer, or a rejection with one sentence.
   *
   * It is rejected when the kernel is lost meanwhile: nobody would answer any more.
   */
  ask<T extends keyof IReplies>(question: Question<T>): Promise<IReplies[T]> {
    const request_id = UUID.uuid4();
    const asked = new PromiseDelegate<KernelMessage>();
    if (this.send({ ...question, request_id } as unknown as Request)) {
      this._asked.set(request_id, asked);
    } else {
      asked.reject(new Error(NOBODY));
    }
    return asked.promise as unknown as Promise<IReplies[T]>;
  }

  private async _open(kernel: Kernel.IKernelConnection, attempt: number): Promise<void> {
    const problem = await findProblem(kernel);
    if (attempt !== this._attempt || this._isDisposed) {
      return;
    }
    if (problem) {
      this._tell(problem);
      return;
    }
    const comm = kernel.createComm(TARGET);
    this._comm = comm;
    // It returns at once: JupyterLab handles no other message of the kernel until it has.
    comm.onMsg = message => this._onMessage(message.content.data);
    comm.onClose = () => this._onClosed(attempt);
    // Messages sent before go to the main shell, where they wait for the cell that is running.
    const { subshellStarted } = comm as ISubshellComm;
    await Promise.race([subshellStarted, new Promise(resolve => setTimeout(resolve, SUBSHELL_MS))]);
    if (attempt !== this._attempt || comm.isDisposed) {
      return;
    }
    comm.open({});
    comm.send({ type: 'hello', protocol_version: PROTOCOL_VERSION, session_hint: this._hint() });
  }

  private _onMessage(data: unknown): void {
    const message = parseMessage(data);
    if (!message) {
      return;
    }
    if (message.type === 'hello') {
      this._welcome(message);
    }
    if ('request_id' in message && this._settle(message.request_id, message)) {
      return;
    }
    this._received.emit(message);
  }

  /** Give a question its answer; false when nobody asked. */
  private _settle(requestId: string, message: KernelMessage): boolean {
    const asked = this._asked.get(requestId);
    this._asked.delete(requestId);
    if (message.type === 'failed') {
      asked?.reject(new Error(message.text));
    } else {
      asked?.resolve(message);
    }
    return asked !== undefined;
  }

  private _welcome(message: IHelloMessage): void {
    this._nonce = message.nonce;
    const { protocol_version, version } = message;
    const isNewer = protocol_version > PROTOCOL_VERSION;
    this._tell(protocol_version === PROTOCOL_VERSION ? { kind: 'ready' } : { kind: 'other-version', version, isNewer });
  }

  private _onClosed(attempt: number): void {
    if (attempt === this._attempt && !this._isDisposed) {
      this._drop(false);
      this._tell({ kind: 'failed', detail: '' });
    }
  }

  private _onKernelChanged(): void {
    this.connect();
  }

  private _onStatusChanged(_: ISessionContext, status: Jupyter.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._drop(false);
      this._tell({ kind: 'restarting' });
    } else if (status === 'dead') {
      this._drop(false);
      this._tell({ kind: 'dead' });
    } else if ((status === 'idle' || status === 'busy') && this._isLost) {
      this.connect();
    }
  }

  private _onConnectionStatusChanged(_: ISessionContext, status: Kernel.ConnectionStatus): void {
    if (status === 'connected') {
      // What was sent while the connection was down is lost.
      this.send({ type: 'snapshot' });
    }
  }

  /** Let the comm go; `isTold` when the kernel is still there to be told. */
  private _drop(isTold: boolean): void {
    this._attempt++;
    this._asked.forEach(asked => asked.reject(new Error(NOBODY)));
    this._asked.clear();
    const comm = this._comm;
    this._comm = null;
    this._nonce = '';
    if (comm && !comm.isDisposed) {
      comm.onClose = () => undefined;
      if (isTold && this.kernel?.connectionStatus === 'connected') {
        comm.close();
      } else {
        comm.dispose();
      }
    }
  }

  private _tell(connection: Connection): void {
    this._isLost = connection.kind === 'restarting' || connection.kind === 'dead';
    this._connectionChanged.emit(connection);
  }

  private readonly _asked = new Map<string, PromiseDelegate<KernelMessage>>();
  private _attempt = 0;
  private _comm: Kernel.IComm | null = null;
  private readonly _connectionChanged = new Signal<this, Connection>(this);
  private readonly _context: ISessionContext;
  private readonly _hint: () => string;
  private _isDisposed = false;
  private _isLost = false;
  private _nonce = '';
  private readonly _received = new Signal<this, KernelMessage>(this);
}
