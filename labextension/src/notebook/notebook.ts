/**
 * Running the agent's code in one notebook: as a cell that is put in, or as a request that leaves no trace.
 *
 * Bound to its notebook, whatever tab the person is looking at; of its views it works in the one they were in last.
 */
import { CodeCell, MarkdownCell } from '@jupyterlab/cells';
import { Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';

import { ICellView, LiveCells, Outcome } from './cells';
import { ChangeKeeper } from './changekeeper';
import { HiddenOutputs } from './hiddenoutputs';
import { KeptChanges } from './keptchanges';
import { ChangeMarks } from './marks';
import { NotebookViews } from './views';
import { pageStore } from '../composer/drafts';
import { INotebookMessage, IRanRequest, IRunMessage } from '../protocol';

export type RunStatus = IRanRequest['status'];

// With this tag the kernel does not drop the person's own cells that wait behind one that fails. It is
// read when the request is made and has no place in the saved notebook.
const TAGS = ['raises-exception'];

const METADATA_KEY = 'pi_notebook';

/** How the agent's code is run: as cells that are put in, or without a trace in the notebook. */
export type RunCode = 'cells' | 'hidden';

interface IAnnounced {
  readonly run: IRunMessage;
  readonly cellId: string | null;
}

/**
 * The notebook as the agent's executor.
 */
export class NotebookExecutor implements IDisposable {
  constructor(views: NotebookViews, runCode: () => RunCode = () => 'cells') {
    this._views = views;
    this._runCodeAs = runCode;
    this.cells = new LiveCells(viewOf(views));
    this._marks = new ChangeMarks(views, this.cells);
    this._keeper = new ChangeKeeper(this._panel.context, this.cells, new KeptChanges(pageStore()));
    this._panel.sessionContext.iopubMessage.connect(this._onIOPub, this);
  }

  /** The cells, as the agent reads and changes them. */
  readonly cells: LiveCells;

  /** What came of code that ran without a cell. */
  readonly outputs = new HiddenOutputs();

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._panel.sessionContext.iopubMessage.disconnect(this._onIOPub, this);
    this._announced.clear();
    this._marks.dispose();
    this._keeper.dispose();
    this.outputs.dispose();
  }

  /** True while the kernel is at code that was run from here. */
  get isExecuting(): boolean {
    return this._started.size > 0;
  }

  /** True when code can be run in this notebook. */
  get canRun(): boolean {
    return !this._isDisposed && !this._panel.isDisposed && this._panel.content.model !== null && this._kernel !== null;
  }

  /** The session that the notebook says it had last; empty when it says none. */
  get sessionHint(): string {
    const kept = this._panel.content.model?.sharedModel.getMetadata(METADATA_KEY);
    const session = kept && typeof kept === 'object' && 'session' in kept ? kept.session : '';
    return typeof session === 'string' ? session : '';
  }

  /** Write into the notebook which session it has. The kernel takes it as a hint, never as an order. */
  remember(session: string): void {
    if (session && session !== this.sessionHint) {
      this._panel.content.model?.sharedModel.setMetadata(METADATA_KEY, { session });
    }
  }

  /** Get ready for `run`; the id of the cell it will be, or `null` when it will be none. It may be told twice. */
  announce(run: IRunMessage): string | null {
    const announced = this._announced.get(run.request_id);
    if (announced) {
      return announced.cellId;
    }
    const isHidden = run.is_hidden || (this._runCodeAs() === 'hidden' && !run.cell_id);
    const cellId = isHidden ? null : run.cell_id || UUID.uuid4();
    this._announced.set(run.request_id, { run, cellId });
    return cellId;
  }

  /** Forget a run that is no longer wanted; what has begun goes on. */
  withdraw(requestId: string): void {
    this._announced.delete(requestId);
  }

  /** Run what was announced; how it ended, or `null` when it was withdrawn. */
  async proceed(requestId: string): Promise<RunStatus | null> {
    const announced = this._announced.get(requestId);
    this._announced.delete(requestId);
    if (!announced) {
      return null;
    }
    if (!this.canRun) {
      return 'refused';
    }
    try {
      const { run, cellId } = announced;
      if (cellId === null) {
        return await this._runHidden(run);
      }
      return run.cell_id ? await this._runThere(run) : await this._runNew(run, cellId);
    } catch (reason) {
      // The kernel was restarted or the notebook closed in the meantime.
      console.warn('pi-notebook: the agent’s code did not end', reason);
      return 'aborted';
    } finally {
      this._started.delete(announced.cellId ?? requestId);
    }
  }

  /** A new run begins: its first cell goes where the person is. */
  begin(): void {
    this._lastCellId = null;
    this.cells.begin();
  }

  /** Do what the agent asks of the cells. */
  answer(message: INotebookMessage): Outcome & { readonly path: string } {
    return { ...this.cells.answer(message), path: this._panel.context.path };
  }

  /** Put `code` below the active cell, not run, and show it. */
  insert(code: string): void {
    const notebook = this._panel.content;
    const place = notebook.activeCellIndex + 1;
    notebook.model?.sharedModel.insertCell(place, { cell_type: 'code', source: code, metadata: { trusted: true } });
    notebook.activeCellIndex = place;
    notebook.scrollToItem(place, 'smart').catch(() => undefined);
  }

  /** Bring a cell into view, without taking the focus. */
  show(cellId: string): void {
    const place = this._panel.content.widgets.findIndex(cell => cell.model.id === cellId);
    if (place >= 0) {
      this._panel.content.scrollToItem(place, 'smart').catch(() => undefined);
    }
  }

  private async _runHidden(run: IRunMessage): Promise<RunStatus> {
    const future = this._kernel!.requestExecute({
      code: run.code,
      silent: false,
      store_history: !run.is_hidden,
      allow_stdin: false,
      stop_on_error: false
    });
    const outputs = run.is_hidden ? null : this.outputs.begin(run.code);
    future.onIOPub = message => {
      outputs?.add(message);
      if (KernelMessage.isExecuteInputMsg(message)) {
        this._started.add(run.request_id);
      }
    };
    const { status } = (await future.done).content;
    return status === 'abort' ? 'aborted' : status;
  }

  /** Run `run.code` as a cell that is put in. */
  private async _runNew(run: IRunMessage, cellId: string): Promise<RunStatus> {
    const notebook = this._panel.content;
    const place = this._place(notebook);
    this.cells.insert(place, 'code', run.code, { tags: TAGS }, cellId);
    this._lastCellId = cellId;
    const cell = notebook.widgets[place];
    if (!(cell instanceof CodeCell)) {
      return 'refused';
    }
    this._cell = cell;
    const mode = notebook.mode;
    const running = NotebookActions.runCells(notebook, [cell], this._panel.sessionContext);
    cell.model.sharedModel.deleteMetadata('tags');
    // It has left the edit mode: the keys of a person who is typing in a cell would be commands.
    notebook.mode = mode;
    notebook.scrollToItem(place, 'smart').catch(() => undefined);
    return (await running) ? 'ok' : 'error';
  }

  /** Run a cell that is there already, if it still is what the kernel was asked to run. */
  private async _runThere(run: IRunMessage): Promise<RunStatus> {
    const notebook = this._panel.content;
    const cell = notebook.widgets.find(one => one.model.id === run.cell_id);
    if (!(cell instanceof CodeCell) || cell.model.sharedModel.getSource() !== run.code) {
      return 'refused';
    }
    this._cell = cell;
    this._lastCellId = cell.model.id;
    const before = cell.model.sharedModel.toJSON();
    notebook.scrollToItem(notebook.widgets.indexOf(cell), 'smart').catch(() => undefined);
    try {
      const tags = [...((cell.model.sharedModel.getMetadata('tags') as string[] | undefined) ?? []), ...TAGS];
      const reply = await CodeCell.execute(cell, this._panel.sessionContext, { tags });
      const status = reply?.content.status ?? 'ok';
      return status === 'abort' ? 'aborted' : status;
    } finally {
      this.cells.ran(before);
    }
  }

  /** Below the run's last cell, else below the active one; an empty active cell stays below. */
  private _place(notebook: Notebook): number {
    const last = notebook.widgets.findIndex(cell => cell.model.id === this._lastCellId);
    if (last >= 0) {
      return last + 1;
    }
    const isEmpty = notebook.activeCell?.model.sharedModel.getSource().trim() === '';
    return isEmpty ? notebook.activeCellIndex : notebook.activeCellIndex + 1;
  }

  /** Note when a cell of ours has its turn; until then an interrupt would hit what runs before it. */
  private _onIOPub(_: unknown, message: KernelMessage.IMessage): void {
    const request = this._cell?.isDisposed === false ? this._cell.outputArea.future?.msg.header.msg_id : undefined;
    const { msg_id } = message.parent_header as Partial<KernelMessage.IHeader>;
    if (message.header.msg_type === 'execute_input' && request && msg_id === request) {
      this._started.add(this._cell!.model.id);
    }
  }

  /** Where the person was last. */
  private get _panel(): NotebookPanel {
    return this._views.front;
  }

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._panel.sessionContext.session?.kernel ?? null;
  }

  private _cell: CodeCell | null = null;
  private readonly _announced = new Map<string, IAnnounced>();
  private _isDisposed = false;
  private readonly _keeper: ChangeKeeper;
  private _lastCellId: string | null = null;
  private readonly _marks: ChangeMarks;
  private readonly _runCodeAs: () => RunCode;
  private readonly _started = new Set<string>();
  private readonly _views: NotebookViews;
}

/** The widgets of a notebook as `LiveCells` asks for them. */
function viewOf(views: NotebookViews): ICellView {
  return {
    get notebook() {
      const { isDisposed, content } = views.front;
      return isDisposed ? null : (content.model?.sharedModel ?? null);
    },
    get isReadOnly() {
      return views.front.content.model?.readOnly ?? true;
    },
    isTyping: id => views.all.some(({ content }) => content.mode === 'edit' && content.activeCell?.model.id === id),
    onInserted: index => {
      for (const { content } of views.all) {
        const cell = content.widgets[index];
        if (cell instanceof MarkdownCell) {
          cell.rendered = true;
        }
      }
    }
  };
}
