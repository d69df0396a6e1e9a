/**
 * The mark beside each cell that a run has changed, for as long as the change is not settled.
 */
import { StaticNotebook } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';

import { LiveCells } from './cells';
import { kindOf } from './changes';

const MARK = 'jp-pi-mod-changed';

export class ChangeMarks implements IDisposable {
  constructor(notebook: StaticNotebook, cells: LiveCells) {
    this._notebook = notebook;
    this._cells = cells;
    cells.changed.connect(this._mark, this);
    notebook.modelContentChanged.connect(this._mark, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._cells.changed.disconnect(this._mark, this);
    this._notebook.modelContentChanged.disconnect(this._mark, this);
    if (!this._notebook.isDisposed) {
      this._notebook.widgets.forEach(cell => cell.removeClass(MARK));
    }
  }

  private _mark(): void {
    const { list } = this._cells.changes;
    if (!list.length && !this._isMarked) {
      return;
    }
    this._isMarked = list.length > 0;
    const marked = new Set(list.filter(one => kindOf(one) !== 'ran').map(one => one.id));
    this._notebook.widgets.forEach(cell => cell.toggleClass(MARK, marked.has(cell.model.id)));
  }

  private readonly _cells: LiveCells;
  private _isDisposed = false;
  private _isMarked = false;
  private readonly _notebook: StaticNotebook;
}
