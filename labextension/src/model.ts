/**
 * One notebook's agent as the panel knows it: the state, and what the person can do.
 */
import { NotebookPanel } from '@jupyterlab/notebook';
import { IOutputAreaModel } from '@jupyterlab/outputarea';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { cellsOf, namedCells, outputOf, selectedCells } from './composer/attaching';
import { LiveCells } from './notebook/cells';
import { Choices } from './choices';
import { AgentClient, Question, Request } from './kernel/client';
import { IReplies } from './kernel/replies';
import { Completions, INamedCell } from './composer/completions';
import { Dispatch } from './composer/dispatch';
import { Draft } from './composer/draft';
import { Drafts } from './composer/drafts';
import { Errands } from './notebook/errands';
import { promptsIn } from './composer/history';
import { deliveryOf } from './composer/keys';
import { NotebookExecutor } from './notebook/notebook';
import { NotebookViews } from './notebook/views';
import { Pace } from './conversation/pace';
import { IApproveRequest, IAskMessage, ICallSegment, IEarlierReply, KernelMessage } from './protocol';
import { Connection, INITIAL_STATE, IState, lastSession, reduce, withConnection, withEarlier } from './conversation/reduce';
import { Sessions } from './sessions';
import { ISettings } from './settings';

/** How long the kernel may take to stop its own code before it is interrupted from here. */
const INTERRUPT_MS = 1000;

/** What comes in faster than this is seen together. */
const PAUSE_MS = 50;

export type Answer = Pick<IApproveRequest, 'allowed' | 'scope' | 'reason' | 'code'>;

/** What every notebook's agent shares. */
export interface IShared {
  readonly settings: ISettings;
  readonly drafts: Drafts;
}

/**
 * The panel's copy of the session behind one notebook.
 *
 * It is rebuilt from a snapshot when the kernel restarts or the page is reloaded, and grows by
 * events in between.
 */
export class AgentModel implements IDisposable {
  constructor(panel: NotebookPanel, { settings, drafts }: IShared) {
    this.id = panel.id;
    this.views = new NotebookViews(panel);
    this._settings = settings;
    this.draft = new Draft(drafts);
    this.sessions = new Sessions(question => this.ask(question));
    this.choices = new Choices(question => this.ask(question), () => this._pace.ask());
    const named = (): readonly INamedCell[] => namedCells(this.notebook.content);
    this.completions = new Completions(text => this.ask({ type: 'completions', text }), named);
    this._executor = new NotebookExecutor(this.views, () => settings.values.runCode);
    this.cells = this._executor.cells;
    this._client = new AgentClient(panel.sessionContext, () => this._executor.sessionHint);
    this._dispatch = new Dispatch(this.draft, request => this._client.send(request));
    this._errands = new Errands(this._executor, request => this._client.send(request));
    this._client.received.connect(this._onReceived, this);
    this._client.connectionChanged.connect(this._onConnectionChanged, this);
    this._client.connect();
  }

  /** That of the notebook's first widget: tells one model from another. */
  readonly id: string;
  readonly views: NotebookViews;

  /** What the person has written and not sent. */
  readonly draft: Draft;

  /** What the rows of the conversation remember, of this session. */
  readonly memory = new Map<string, unknown>();

  readonly completions: Completions;
  readonly sessions: Sessions;
  readonly choices: Choices;

  /** The cells of the notebook, and what the agent changed of them. */
  readonly cells: LiveCells;

  /** The view of the notebook that was in front last. */
  get notebook(): NotebookPanel {
    return this.views.front;
  }

  /** Emitted twenty times a second at most, however much arrives. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get state(): IState {
    return this._state;
  }

  /** Emitted with each message of the kernel, in order. */
  get received(): ISignal<AgentClient, KernelMessage> {
    return this._client.received;
  }

  /** A prompt that was sent and has not come into the conversation: the kernel is at another cell. */
  get pending(): string {
    return this._dispatch.pending;
  }

  get isRunning(): boolean {
    return this._state.status?.is_running ?? false;
  }

  /** The session that the notebook had before the kernel was new; empty once another was begun or chosen, or it is gone. */
  get lastSession(): string {
    return lastSession(this._state);
  }

  /** True while a prompt would be taken. */
  get isReady(): boolean {
    return this._state.connection.kind === 'ready' && this._state.status !== null;
  }

  get isDisposed(): boolean {
    return this._client.isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const parts = [this._pace, this._client, this._errands, this.completions, this.sessions, this.draft];
    parts.forEach(part => part.dispose());
    Signal.clearData(this);
  }

  /** Send the draft: as a prompt, or to the run that is on; `isOther` is the way there that the settings do not say. */
  prompt(isOther = false): void {
    if (this.draft.isEmpty || !this.isReady) {
      return;
    }
    const delivery = deliveryOf(this.isRunning, this._settings.values.whileRunning, isOther);
    if (this._dispatch.send(delivery)) {
      if (delivery === 'prompt') {
        this._executor.begin();
      }
      this._update({ ...this._state, error: '' });
    }
  }

  /** Send `text` with a cell; what is being written stays as it is. */
  say(text: string, cellId: string): void {
    const written = this.draft.take();
    this.attachCell(cellId);
    this.draft.write(text);
    this.prompt();
    this.draft.giveBack(written);
  }

  /** End the run: model traffic by a message, code by an interrupt when it does not end on that. */
  stop(): void {
    this._client.send({ type: 'stop' });
    window.setTimeout(() => {
      // A kernel without subshells does not hear of the stop while its code runs.
      if (this._executor.isExecuting && this.isRunning) {
        this._client.kernel?.interrupt().catch(reason => console.warn('pi-notebook: no interrupt', reason));
      }
    }, INTERRUPT_MS);
  }

  /** Give the person's word on `ask`. */
  approve(ask: IAskMessage, answer: Answer): void {
    const { request_id, fingerprint } = ask;
    this._client.send({ type: 'approve', request_id, fingerprint, ...answer });
  }

  /** Tell the kernel something that has no answer. */
  tell(request: Request): void {
    this._client.send(request);
  }

  /** Ask the kernel something; rejected with one sentence. */
  ask<T extends keyof IReplies>(question: Question<T>): Promise<IReplies[T]> {
    return this._client.ask(question);
  }

  /** Ask for something to be done; the text of the answer, or empty when it was not done, which is shown. */
  async act<T extends keyof IReplies>(question: Question<T>): Promise<string> {
    try {
      const answer = await this.ask(question);
      return 'text' in answer ? answer.text : '';
    } catch (reason) {
      this._update({ ...this._state, error: (reason as Error).message });
      return '';
    }
  }

  /** Bring what is queued back into the draft. */
  async takeQueued(): Promise<void> {
    const text = await this.act({ type: 'take_queued' });
    this.draft.giveBack({ text, cells: [], images: [] });
  }

  /** Bring older segments in front of those that are there; `null` when there are none to be had any more. */
  async earlier(): Promise<IEarlierReply | null> {
    const first = this._state.segments[0]?.id;
    if (first === undefined || !this._state.isShortened) {
      return null;
    }
    const reply = await this.ask({ type: 'earlier', segment_id: first });
    // Another session may have come in between.
    if (this._state.segments[0]?.id !== first) {
      return null;
    }
    this._update(withEarlier(this._state, reply));
    return reply;
  }

  /** An older prompt (1) or a newer one (-1) in place of the draft; false where there is none. */
  recall(step: 1 | -1): boolean {
    return this.draft.recall(promptsIn(this._state.segments), step);
  }

  /** Let the selected cells go with the prompt. */
  attachSelected(): void {
    this.draft.attach(selectedCells(this.notebook.content));
  }

  /** What the code of a call drew that ran without a cell. */
  outputsOf(call: ICallSegment): IOutputAreaModel | null {
    return this._executor.outputs.of(call);
  }

  /** Bring a cell into view, without taking the focus. */
  showCell(cellId: string): void {
    this._executor.show(cellId);
  }

  /** Put `code` into the notebook as a cell, which does not run. */
  insertCell(code: string): void {
    this._executor.insert(code);
  }

  attachCell(cellId: string): void {
    this.draft.attach(cellsOf(this.notebook.content, cellId));
  }

  /** Let what a cell put out go with the prompt, its pictures as pictures; a cell that goes already has its text. */
  async attachOutput(cellId: string): Promise<void> {
    const output = outputOf(this.notebook.content, cellId);
    if (output && output.cell.output && !this.draft.cells.some(cell => cell.cell_id === cellId)) {
      this.draft.attach([output.cell]);
    }
    await this.draft.addPictures(output?.pictures ?? []);
  }

  /** Look again whether the kernel can be talked to. */
  reconnect(): void {
    this._client.retry();
  }

  private _onConnectionChanged(_: AgentClient, connection: Connection): void {
    this._update(withConnection(this._state, connection));
    if (!['ready', 'connecting', 'lost'].includes(connection.kind)) {
      this._dispatch.giveBack();
    }
  }

  private _onReceived(_: AgentClient, message: KernelMessage): void {
    const wasRunning = this.isRunning;
    const wasSession = this._state.status?.session_id;
    this._update(reduce(this._state, message));
    const { status } = this._state;
    this._dispatch.look(message);
    // A prompt gives a session its name and its place in the list.
    if (status?.session_id !== wasSession || wasRunning !== this.isRunning) {
      this.sessions.refresh();
    }
    if (status && status.session_id !== wasSession) {
      this.memory.clear();
      this.draft.enter(status.session_id);
    }
    if (status?.is_running) {
      this._executor.remember(status.session_id);
    }
    if (message.type === 'error' || (wasRunning && !this.isRunning)) {
      this._dispatch.giveBack();
    }
    this._errands.take(message);
  }

  private _update(state: IState): void {
    this._state = state;
    this._pace.ask();
  }

  private readonly _changed = new Signal<this, void>(this);
  private readonly _client: AgentClient;
  private readonly _dispatch: Dispatch;
  private readonly _errands: Errands;
  private readonly _executor: NotebookExecutor;
  private readonly _pace = new Pace(() => this._changed.emit(), PAUSE_MS);
  private readonly _settings: ISettings;
  private _state: IState = INITIAL_STATE;
}
