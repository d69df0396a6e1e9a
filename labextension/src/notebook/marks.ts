/**
 * The mark beside each cell that a run has changed, for as long as the change is not settled.
 */
import { IDisposable } from '@lumino/disposable';

import { LiveCells } from './cells';
import { kindOf } from './changes';
import { NotebookViews } from './views';

const MARK = 'jp-pi-mod-changed';

export class ChangeMarks implements IDisposable {
  constructor(views: NotebookViews, cells: LiveCells) {
    this._views = views;
    this._cells = cells;
    cells.changed.connect(this._mark, this);
    views.changed.connect(this._follow, this);
    this._follow();
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
    this._views.changed.disconnect(this._follow, this);
    for (const { isDisposed, content } of this._views.all) {
      if (!isDisposed) {
        content.modelContentChanged.disconnect(this._mark, this);
        content.widgets.forEach(cell => cell.removeClass(MARK));
      }
    }
  }

  /** Keep the marks of every view; a view that is known already is not followed twice. */
  private _follow(): void {
    this._views.all.forEach(({ content }) => content.modelContentChanged.connect(this._mark, this));
    this._isMarked = true;
    this._mark();
  }

  private _mark(): void {
    const { list } = this._cells.changes;
    if (!list.length && !this._isMarked) {
      return;
    }
    this._isMarked = list.length > 0;
    const marked = new Set(list.filter(one => kindOf(one) !== 'ran').map(one => one.id));
    const cells = this._views.all.flatMap(({ content }) => content.widgets);
    cells.forEach(cell => cell.toggleClass(MARK, marked.has(cell.model.id)));
  }

  private readonly _cells: LiveCells;
  private _isDisposed = false;
  private _isMarked = false;
  private readonly _views: NotebookViews;
}
