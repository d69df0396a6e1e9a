/**
 * The views of one open notebook: the application may show the same document in several places at once.
 */
import { NotebookPanel } from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';

/**
 * The views that were in front, as long as they are open. What is done in the notebook is done in one of them.
 */
export class NotebookViews {
  constructor(first: NotebookPanel) {
    this._all = [first];
  }

  /** Emitted when there is another view, or another in front. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The one that was in front last. */
  get front(): NotebookPanel {
    return this._all[0]!;
  }

  get all(): readonly NotebookPanel[] {
    return this._all;
  }

  /** `panel` is in front now. */
  show(panel: NotebookPanel): void {
    if (panel !== this.front) {
      this._all = [panel, ...this._all.filter(one => one !== panel)];
      this._changed.emit();
    }
  }

  /** `panel` is closed; false when it was the only one. */
  remove(panel: NotebookPanel): boolean {
    const others = this._all.filter(one => one !== panel);
    if (others.length) {
      this._all = others;
      this._changed.emit();
    }
    return others.length > 0;
  }

  private _all: readonly NotebookPanel[];
  private readonly _changed = new Signal<this, void>(this);
}
