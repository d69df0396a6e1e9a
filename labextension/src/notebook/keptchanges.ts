/**
 * What runs changed in notebooks and is not settled, kept in the browser's storage: a page that is loaded again, and
 * a second one, find it there. Nothing of it is written into the notebook.
 */
import { ICell, ICodeCell } from '@jupyterlab/nbformat';

import { IChange, IChanges, NO_CHANGES } from './changes';
import { Store } from '../composer/drafts';

const PREFIX = 'pi-notebook:changes:';
const MAX_NOTEBOOKS = 10;
/** Of one notebook; what browsers give to all pages of a server is 5,000,000. */
const MAX_CHARS = 300_000;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;

/** The changes of one notebook as they are stored. */
interface IKept {
  readonly changes: IChanges;
  /** Milliseconds since 1970. */
  readonly written: number;
}

/** Where the changes of the notebook at `path` are. */
export function keyOf(path: string): string {
  return PREFIX + path;
}

/** The changes that `data` holds, unless it is old or another version wrote it in another form. */
export function changesIn(data: string | null): IChanges {
  const kept = read(data);
  return kept && Date.now() - kept.written < MAX_AGE_MS ? kept.changes : NO_CHANGES;
}

export class KeptChanges {
  constructor(store: Store | null) {
    this._store = store;
  }

  of(path: string): IChanges {
    try {
      return changesIn(this._store?.getItem(keyOf(path)) ?? null);
    } catch {
      return NO_CHANGES;
    }
  }

  /** Keep the changes of a notebook; without their outputs when they are many, and not at all when they still are. */
  keep(path: string, changes: IChanges): void {
    const whole = written(changes);
    const text = whole.length > MAX_CHARS ? written(lean(changes)) : whole;
    try {
      if (text.length > MAX_CHARS || !changes.list.length) {
        this._store?.removeItem(keyOf(path));
      } else {
        this._store?.setItem(keyOf(path), text);
        this._forgetOld();
      }
    } catch (reason) {
      // What was kept before is no longer true.
      this._store?.removeItem(keyOf(path));
      console.warn('pi-notebook: the changes of a run cannot be kept', reason);
    }
  }

  private _forgetOld(): void {
    const store = this._store;
    const all = Array.from({ length: store?.length ?? 0 }, (_, place) => store?.key(place) ?? '');
    const ages = new Map(
      all.filter(key => key.startsWith(PREFIX)).map(key => [key, read(store?.getItem(key) ?? null)?.written ?? 0])
    );
    const newest = [...ages.keys()].sort((one, other) => ages.get(other)! - ages.get(one)!);
    newest
      .filter((key, place) => place >= MAX_NOTEBOOKS || Date.now() - ages.get(key)! >= MAX_AGE_MS)
      .forEach(key => store?.removeItem(key));
  }

  private readonly _store: Store | null;
}

function written(changes: IChanges): string {
  return JSON.stringify({ changes, written: Date.now() } satisfies IKept);
}

function read(data: string | null): IKept | null {
  try {
    const { changes, written } = JSON.parse(data ?? 'null') as IKept;
    const isWhole = Array.isArray(changes.order) && changes.list.every(one => typeof one.id === 'string');
    return isWhole && typeof written === 'number' ? { changes, written } : null;
  } catch {
    return null;
  }
}

/** `changes` without outputs; one that was of outputs alone is none. */
function lean({ order, list }: IChanges): IChanges {
  const kept = list.map((one): IChange => {
    const had = (one.before as ICodeCell | null)?.outputs;
    const isLean = one.isLean || (Array.isArray(had) && had.length > 0);
    return { ...one, before: withoutOutputs(one.before), after: withoutOutputs(one.after), isLean };
  });
  return { order, list: kept };
}

function withoutOutputs(cell: ICell | null): ICell | null {
  return cell?.cell_type === 'code' ? ({ ...cell, outputs: [], execution_count: null } as ICodeCell) : cell;
}
