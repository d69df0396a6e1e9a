/**
 * One notebook's agent as the panel knows it: the state, and what the person can do.
 */
import { NotebookPanel } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { AgentClient } from './client';
import { wellFormed } from './message';
import { NotebookExecutor } from './notebook';
import { IApproveRequest, IAskMessage, IRunMessage, KernelMessage } from './protocol';
import { Connection, INITIAL_STATE, IState, reduce, withConnection } from './reduce';

/** How long the kernel may take to stop its own code before it is interrupted from here. */
const INTERRUPT_MS = 1000;

export type Answer = Pick<IApproveRequest, 'allowed' | 'scope' | 'reason' | 'code'>;

/**
 * The panel's copy of the session behind one notebook.
 *
 * It is rebuilt from a snapshot when the kernel restarts or the page is reloaded, and grows by
 * events in between.
 */
export class AgentModel implements IDisposable {
  constructor(panel: NotebookPanel) {
    this.id = panel.id;
    this._executor = new NotebookExecutor(panel);
    this._client = new AgentClient(panel.sessionContext, () => this._executor.sessionHint);
    this._client.received.connect(this._onReceived, this);
    this._client.connectionChanged.connect(this._onConnectionChanged, this);
    this._client.connect();
  }

  /** That of the notebook's widget: tells one model from another. */
  readonly id: string;

  /** Emitted once per animation frame at most, however much arrives. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get state(): IState {
    return this._state;
  }

  /** What the person has written and not sent. */
  get draft(): string {
    return this._draft;
  }

  set draft(text: string) {
    this._draft = text;
    this._changed.emit();
  }

  /** A prompt that was sent and has not come into the conversation: the kernel is at another cell. */
  get pending(): string {
    return this._pending;
  }

  get isDisposed(): boolean {
    return this._client.isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    cancelAnimationFrame(this._frame);
    this._client.dispose();
    this._executor.dispose();
    Signal.clearData(this);
  }

  /** Send the draft as a prompt. */
  prompt(): void {
    const text = wellFormed(this._draft).trim();
    if (text && !this._state.status?.is_running && this._client.send({ type: 'prompt', text })) {
      this._executor.begin();
      this._pending = text;
      this._update({ ...this._state, error: '' });
      this.draft = '';
    }
  }

  /** End the run: model traffic by a message, code by an interrupt when it does not end on that. */
  stop(): void {
    this._client.send({ type: 'stop' });
    window.setTimeout(() => {
      // A kernel without subshells does not hear of the stop while its code runs.
      if (this._executor.isExecuting && this._state.status?.is_running) {
        this._client.kernel?.interrupt().catch(reason => console.warn('pi-notebook: no interrupt', reason));
      }
    }, INTERRUPT_MS);
  }

  /** Give the person's word on `ask`. */
  approve(ask: IAskMessage, answer: Answer): void {
    const { request_id, fingerprint } = ask;
    this._client.send({ type: 'approve', request_id, fingerprint, ...answer });
  }

  setMode(mode: string): void {
    this._client.send({ type: 'set_mode', mode });
  }

  /** Look again whether the kernel can be talked to. */
  reconnect(): void {
    this._client.connect();
  }

  private _onConnectionChanged(_: AgentClient, connection: Connection): void {
    this._update(withConnection(this._state, connection));
  }

  private _onReceived(_: AgentClient, message: KernelMessage): void {
    const wasRunning = this._state.status?.is_running;
    this._update(reduce(this._state, message));
    if (hasPrompt(message)) {
      this._pending = '';
    }
    if (this._state.status?.is_running) {
      this._executor.remember(this._state.status.session_id);
    }
    if (message.type === 'error' || (wasRunning && !this._state.status?.is_running)) {
      this._giveBack();
    }
    switch (message.type) {
      case 'run':
        this._announce(message);
        break;
      case 'proceed':
        // Not awaited: while this handler runs, no other message of the kernel is handled.
        void this._proceed(message.request_id);
        break;
      case 'withdrawn':
        this._executor.withdraw(message.request_id);
        break;
    }
  }

  /** What was not taken as a prompt is the person's to send again. */
  private _giveBack(): void {
    this._draft ||= this._pending;
    this._pending = '';
  }

  private _announce(run: IRunMessage): void {
    const { request_id } = run;
    if (this._executor.canRun) {
      this._client.send({ type: 'announced', request_id, cell_id: this._executor.announce(run) });
    } else {
      this._client.send({ type: 'ran', request_id, status: 'refused' });
    }
  }

  private async _proceed(request_id: string): Promise<void> {
    const status = await this._executor.proceed(request_id);
    if (status) {
      this._client.send({ type: 'ran', request_id, status });
    }
  }

  private _update(state: IState): void {
    this._state = state;
    this._frame ||= requestAnimationFrame(() => {
      this._frame = 0;
      this._changed.emit();
    });
  }

  private readonly _changed = new Signal<this, void>(this);
  private readonly _client: AgentClient;
  private _draft = '';
  private readonly _executor: NotebookExecutor;
  private _frame = 0;
  private _pending = '';
  private _state: IState = INITIAL_STATE;
}

/** Whether `message` brings a prompt into the conversation, alone or with all the rest. */
function hasPrompt(message: KernelMessage): boolean {
  return (
    message.type === 'snapshot' ||
    (message.type === 'events' &&
      message.events.some(event => event.type === 'segment' && event.segment.type === 'prompt'))
  );
}
