/**
 * The notebook in front: which one it is and which kernel it runs on.
 *
 * Knows JupyterLab's notebook tracker; draws nothing and asks the kernel nothing.
 */
import { ISessionContext } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

/** What is known of the notebook in front. */
export interface INotebookFacts {
  readonly name: string;
  /** Empty while the notebook has no kernel. */
  readonly kernel: string;
}

/**
 * The facts of the notebook in front, kept current.
 */
export class ActiveNotebook implements IDisposable {
  constructor(tracker: INotebookTracker) {
    this._tracker = tracker;
    tracker.currentChanged.connect(this._follow, this);
    this._follow();
  }

  /** Emitted when another notebook comes to the front, or its name or kernel changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** `null` when no notebook is open. */
  get facts(): INotebookFacts | null {
    if (!this._panel) {
      return null;
    }
    const { sessionContext, title } = this._panel;
    const hasKernel = sessionContext.session?.kernel != null;
    return { name: title.label, kernel: hasKernel ? sessionContext.kernelDisplayName : '' };
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._leave();
    Signal.clearData(this);
  }

  private _follow(): void {
    this._leave();
    this._panel = this._tracker.currentWidget;
    this._panel?.title.changed.connect(this._emit, this);
    this._context?.kernelChanged.connect(this._emit, this);
    this._emit();
  }

  private _leave(): void {
    this._panel?.title.changed.disconnect(this._emit, this);
    this._context?.kernelChanged.disconnect(this._emit, this);
    this._panel = null;
  }

  private get _context(): ISessionContext | undefined {
    return this._panel?.sessionContext;
  }

  private _emit(): void {
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _panel: NotebookPanel | null = null;
  private readonly _tracker: INotebookTracker;
}
