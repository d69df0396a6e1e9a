/**
 * Which agent the panel shows: that of the notebook in front.
 */
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { AgentModel, IShared } from './model';

/**
 * The models of the notebooks that were in front since the panel was first shown, one each.
 *
 * A notebook behind another keeps its model and goes on; it is let go when it is closed.
 */
export class ActiveAgent implements IDisposable {
  constructor(tracker: INotebookTracker, shared: IShared) {
    this._tracker = tracker;
    this._shared = shared;
    tracker.currentChanged.connect(this._follow, this);
  }

  /** Emitted when another notebook comes to the front, or none is open any more. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when the agent that is shown has changed, or is another. */
  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  /** `null` when no notebook is open. */
  get model(): AgentModel | null {
    return this._model;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Begin to follow: no kernel is touched for a panel that nobody has opened. */
  start(): void {
    this._isStarted = true;
    this._follow();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._models.forEach(model => model.dispose());
    this._models.clear();
    Signal.clearData(this);
  }

  private _follow(): void {
    if (!this._isStarted) {
      return;
    }
    const panel = this._tracker.currentWidget;
    const model = panel && !panel.isDisposed ? this._modelOf(panel) : null;
    if (model !== this._model) {
      this._show(model);
    }
  }

  private _show(model: AgentModel | null): void {
    this._model = model;
    this._changed.emit();
    this._stateChanged.emit();
  }

  private _modelOf(panel: NotebookPanel): AgentModel {
    const found = this._models.get(panel);
    if (found) {
      return found;
    }
    const model = new AgentModel(panel, this._shared);
    this._models.set(panel, model);
    model.changed.connect(() => {
      if (model === this._model) {
        this._stateChanged.emit();
      }
    });
    panel.disposed.connect(() => {
      this._models.delete(panel);
      model.dispose();
      if (this._model === model) {
        this._show(null);
      }
    });
    return model;
  }

  private readonly _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _isStarted = false;
  private _model: AgentModel | null = null;
  private readonly _models = new Map<NotebookPanel, AgentModel>();
  private readonly _shared: IShared;
  private readonly _stateChanged = new Signal<this, void>(this);
  private readonly _tracker: INotebookTracker;
}
