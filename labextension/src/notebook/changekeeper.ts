/**
 * Keeps what a run changed in one notebook over a reload of the page, and lets pages that show the same notebook
 * agree on what is settled.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal } from '@lumino/signaling';

import { LiveCells } from './cells';
import { IChanges, NO_CHANGES, withoutChanges } from './changes';
import { changesIn, KeptChanges, keyOf } from './keptchanges';

/** The file of an open notebook. */
export interface IFile {
  readonly path: string;
  readonly pathChanged: ISignal<unknown, string>;
  /** Resolved once its cells are there. */
  readonly ready: Promise<void>;
}

/**
 * From the time the cells are there until it is disposed.
 */
export class ChangeKeeper implements IDisposable {
  constructor(file: IFile, cells: LiveCells, kept: KeptChanges) {
    this._file = file;
    this._cells = cells;
    this._kept = kept;
    this._path = file.path;
    file.ready
      .then(() => this._begin())
      .catch(reason => console.warn('pi-notebook: the notebook was not opened', reason));
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._cells.changed.disconnect(this._onChanged, this);
    this._file.pathChanged.disconnect(this._onPathChanged, this);
    window.removeEventListener('storage', this._onStored);
  }

  private _begin(): void {
    if (this._isDisposed) {
      return;
    }
    if (!this._cells.changes.list.length) {
      this._cells.resume(this._kept.of(this._path));
    }
    this._known = this._cells.changes;
    this._cells.changed.connect(this._onChanged, this);
    this._file.pathChanged.connect(this._onPathChanged, this);
    window.addEventListener('storage', this._onStored);
  }

  private _onChanged(): void {
    const [before, now] = [this._known, this._cells.changes];
    this._known = now;
    const isMore = now.list.some(one => !before.list.includes(one));
    // Another page may know of changes that this one cannot see yet.
    this._kept.keep(this._path, isMore ? now : withoutChanges(this._kept.of(this._path), settled(before, now)));
  }

  private _onPathChanged(): void {
    this._kept.keep(this._path, NO_CHANGES);
    this._path = this._file.path;
    this._kept.keep(this._path, this._cells.changes);
  }

  /** Another page has written: what was settled there is settled here. */
  private readonly _onStored = ({ key, oldValue, newValue }: StorageEvent): void => {
    if (key === keyOf(this._path)) {
      this._cells.accept(settled(changesIn(oldValue), changesIn(newValue)));
    }
  };

  private readonly _cells: LiveCells;
  private readonly _file: IFile;
  private _isDisposed = false;
  private readonly _kept: KeptChanges;
  private _known: IChanges = NO_CHANGES;
  private _path: string;
}

/** The cells whose changes are no longer known. */
function settled(before: IChanges, now: IChanges): readonly string[] {
  return before.list.map(one => one.id).filter(id => !now.list.some(one => one.id === id));
}
