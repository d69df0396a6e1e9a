/**
 * The way to the session in one notebook's kernel: loads the extension, opens the comm, opens it again.
 *
 * Knows no conversation and draws nothing.
 */
import { ISessionContext } from '@jupyterlab/apputils';
import { Kernel, KernelMessage as Jupyter } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';
import { JSONObject, UUID } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import { Hearing } from './hearing';
import { findProblem } from './loading';
import { parseMessage } from './message';
import { NOBODY, Questions } from './questions';
import { IReplies } from './replies';
import { IHelloMessage, KernelMessage, PanelRequest, PROTOCOL_VERSION } from '../protocol';
import { Connection } from '../conversation/reduce';

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
 *
 * It outlives the connection to the server: when that is back, the kernel tells all of it again.
 */
export class AgentClient implements IDisposable {
  constructor(context: ISessionContext, hint: () => string) {
    this._context = context;
    this._hint = hint;
    context.kernelChanged.connect(this._onKernelChanged, this);
    context.statusChanged.connect(this._onStatusChanged, this);
    context.connectionStatusChanged.connect(this._onConnectionStatusChanged, this);
    context.iopubMessage.connect(this._onIOPub, this);
    window.addEventListener('online', this._onOnline);
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
    window.removeEventListener('online', this._onOnline);
    this._drop(true);
    Signal.clearData(this);
  }

  /** Try again whatever has failed: the connection to the server, or else the kernel. */
  retry(): void {
    const { kernel } = this;
    if (kernel && kernel.connectionStatus !== 'connected') {
      kernel.reconnect().catch(reason => console.warn('pi-notebook: no connection', reason));
    } else {
      this.connect();
    }
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
    const isSent = this._kind === 'ready' && this.send({ ...question, request_id } as unknown as Request);
    const answer = isSent ? this._questions.open(request_id) : Promise.reject(new Error(NOBODY));
    return answer as unknown as Promise<IReplies[T]>;
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
    this._greet(comm);
  }

  /** Ask for everything, as a panel that has just been opened. */
  private _greet(comm: Kernel.IComm): void {
    comm.send({ type: 'hello', protocol_version: PROTOCOL_VERSION, session_hint: this._hint() });
  }

  private _onMessage(data: unknown): void {
    const message = parseMessage(data);
    if (!message) {
      this._questions.spoil(data);
      return;
    }
    if (message.type === 'hello') {
      this._welcome(message);
    }
    // What another version of the protocol means by its messages is not known.
    if (this._kind !== 'other-version' && !this._questions.settle(message)) {
      this._received.emit(message);
    }
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
      this._tell({ kind: 'closed' });
    }
  }

  private _onKernelChanged(): void {
    this._hearing.reset();
    this.connect();
  }

  private _onStatusChanged(_: ISessionContext, status: Jupyter.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._drop(false);
      this._tell({ kind: 'restarting' });
    } else if (status === 'dead') {
      this._drop(false);
      this._tell({ kind: 'dead' });
    } else if ((status === 'idle' || status === 'busy') && (this._kind === 'restarting' || this._kind === 'dead')) {
      this.connect();
    }
  }

  private _onConnectionStatusChanged(_: ISessionContext, status: Kernel.ConnectionStatus): void {
    if (status !== 'connected') {
      this._isCut = true;
      if (this._comm) {
        this._questions.reject();
        this._tell({ kind: 'lost' });
      }
    } else if (this._isCut) {
      this._isCut = false;
      this._onRegained();
    }
  }

  /** What was sent either way in the meantime may have come, or may be lost. */
  private _onRegained(): void {
    if (this._comm && this._nonce) {
      this._greet(this._comm);
    } else if (this._kind === 'connecting' || this._kind === 'lost') {
      this.connect();
    }
  }

  private _onIOPub(_: ISessionContext, message: Jupyter.IMessage): void {
    const heard = this._hearing.hear(message as Jupyter.IIOPubMessage);
    if (heard === 'gap') {
      this._onRegained();
    } else if (heard === 'restarted' && this._comm) {
      this._drop(false);
      this._tell({ kind: 'restarting' });
      this.connect();
    }
  }

  /** JupyterLab tries for a minute or so; while it does, another attempt would only get in its way. */
  private readonly _onOnline = (): void => {
    if (this._kind === 'lost' && this.kernel?.connectionStatus === 'disconnected') {
      this.retry();
    }
  };

  /** Let the comm go; `isTold` when the kernel is still there to be told. */
  private _drop(isTold: boolean): void {
    this._attempt++;
    this._questions.reject();
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
    this._kind = connection.kind;
    this._connectionChanged.emit(connection);
  }

  private _attempt = 0;
  private _comm: Kernel.IComm | null = null;
  private readonly _connectionChanged = new Signal<this, Connection>(this);
  private readonly _context: ISessionContext;
  private readonly _hearing = new Hearing();
  private readonly _hint: () => string;
  private _isCut = false;
  private _isDisposed = false;
  private _kind: Connection['kind'] = 'no-kernel';
  private _nonce = '';
  private readonly _questions = new Questions();
  private readonly _received = new Signal<this, KernelMessage>(this);
}
