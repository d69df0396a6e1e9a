/**
 * Which agent the panel shows: that of the notebook in front.
 */
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { AgentModel, IShared } from './model';

/**
 * The models of the notebooks that were in front since the panel was first shown, one each, whatever views it has.
 *
 * A notebook behind another keeps its model and goes on; it is let go when its last view is closed.
 */
export class ActiveAgent implements IDisposable {
  constructor(tracker: INotebookTracker, shared: IShared) {
    this._tracker = tracker;
    this._shared = shared;
    tracker.currentChanged.connect(this._onCurrentChanged, this);
  }

  /** Emitted when another agent is to be shown, or none. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when the agent that is shown has changed, or is another. */
  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  /** Emitted when another notebook comes to the front, or none is open any more; before `start`, too. */
  get notebookChanged(): ISignal<this, void> {
    return this._notebookChanged;
  }

  /** The notebook in front; `null` when none is open. */
  get notebook(): NotebookPanel | null {
    return this._tracker.currentWidget;
  }

  /** Its agent; `null` before `start`, too. */
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

  private _onCurrentChanged(): void {
    this._follow();
    this._notebookChanged.emit();
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
    const model = this._models.get(panel.context) ?? this._newModel(panel);
    model.views.show(panel);
    // A slot that is connected already is not connected again.
    panel.disposed.connect(this._onClosed, this);
    return model;
  }

  private _newModel(panel: NotebookPanel): AgentModel {
    const model = new AgentModel(panel, this._shared);
    this._models.set(panel.context, model);
    model.changed.connect(() => {
      if (model === this._model) {
        this._stateChanged.emit();
      }
    });
    return model;
  }

  /** A view is closed; the agent is let go with the last one of its notebook. */
  private _onClosed(panel: NotebookPanel): void {
    const model = this._models.get(panel.context);
    if (!model || model.views.remove(panel)) {
      return;
    }
    this._models.delete(panel.context);
    model.dispose();
    if (this._model === model) {
      this._show(null);
    }
  }

  private readonly _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _isStarted = false;
  private _model: AgentModel | null = null;
  private readonly _models = new Map<NotebookPanel['context'], AgentModel>();
  private readonly _notebookChanged = new Signal<this, void>(this);
  private readonly _shared: IShared;
  private readonly _stateChanged = new Signal<this, void>(this);
  private readonly _tracker: INotebookTracker;
}
