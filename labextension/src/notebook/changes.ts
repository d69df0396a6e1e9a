/**
 * What a run changed in the notebook, and how that is taken back. Everything here is pure.
 *
 * Each cell is known with what it was before the run first touched it and what the run left it as. What
 * the person has changed since is theirs and never taken back.
 */
import { ICell, ICodeCell } from '@jupyterlab/nbformat';
import { JSONExt, ReadonlyJSONValue } from '@lumino/coreutils';
import { diffLines } from 'diff';

export type ChangeKind = 'inserted' | 'edited' | 'deleted' | 'moved' | 'ran';

/** One cell that a run changed. */
export interface IChange {
  readonly id: string;
  /** `null` for a cell that was put in. */
  readonly before: ICell | null;
  /** `null` for a cell that was deleted. */
  readonly after: ICell | null;
  readonly isMoved: boolean;
  /** Whether there were outputs that are not kept: what they were is not to be had again. */
  readonly isLean?: boolean | undefined;
}

/** The changes of a run that the person has not accepted or taken back. */
export interface IChanges {
  /** The ids of all cells, as they stood before the first change. */
  readonly order: readonly string[];
  /** In the order they were first made. */
  readonly list: readonly IChange[];
}

export const NO_CHANGES: IChanges = { order: [], list: [] };

/** One thing to do to the notebook; an index is where the cell stands afterwards. */
export type Step =
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'restore'; readonly id: string; readonly cell: ICell; readonly withOutputs: boolean }
  | { readonly kind: 'put'; readonly id: string; readonly cell: ICell; readonly index: number }
  | { readonly kind: 'move'; readonly id: string; readonly index: number };

/** A line of a text that stays, goes or comes. */
export interface IDifferenceLine {
  readonly kind: 'added' | 'kept' | 'removed';
  readonly text: string;
}

/** `changes` and one more; `order` is that of the cells before it. */
export function withChange(changes: IChanges, order: readonly string[], change: IChange): IChanges {
  const known = changes.list.find(one => one.id === change.id);
  const joined: IChange = known
    ? { ...change, before: known.before, isMoved: known.isMoved || change.isMoved, isLean: known.isLean }
    : change;
  const list = known
    ? changes.list.map(one => (one === known ? joined : one))
    : [...changes.list, joined];
  return { order: changes.list.length ? changes.order : order, list: list.filter(one => !isNothing(one)) };
}

/** `changes` without those of the cells `ids`. */
export function withoutChanges(changes: IChanges, ids: readonly string[]): IChanges {
  const list = changes.list.filter(one => !ids.includes(one.id));
  return list.length ? { ...changes, list } : NO_CHANGES;
}

/**
 * Those of `changes` that can still be seen in the cells that are there `now`.
 *
 * A page that was left before the notebook was saved finds cells as they were before the run.
 */
export function standing(changes: IChanges, now: readonly ICell[]): IChanges {
  const ids = new Set(now.map(idOf));
  const isHere = [...changes.order, ...changes.list.map(one => one.id)].some(id => ids.has(id));
  const lost = changes.list.filter(one => !isHere || !isStanding(one, cellOf(now, one.id)));
  return withoutChanges(changes, lost.map(one => one.id));
}

/** Whether the person has done something to the cell since, given its source; `undefined` when it is gone. */
export function isTheirs({ before, after }: IChange, source: string | undefined): boolean {
  if (!before) {
    return source !== undefined && source !== textOf(after);
  }
  return after ? source !== textOf(after) : source !== undefined;
}

/** What was done to the cell that counts most. */
export function kindOf({ before, after, isMoved }: IChange): ChangeKind {
  if (!before) {
    return 'inserted';
  }
  if (!after) {
    return 'deleted';
  }
  return textOf(before) !== textOf(after) ? 'edited' : isMoved ? 'moved' : 'ran';
}

/** The source of a cell as one text. */
export function textOf(cell: ICell | null): string {
  const source = cell?.source ?? '';
  return typeof source === 'string' ? source : source.join('');
}

/** The lines of a cell's source, those that went and came among them. */
export function differenceOf({ before, after }: IChange): readonly IDifferenceLine[] {
  return diffLines(textOf(before), textOf(after)).flatMap(({ added, removed, value }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map(text => ({ kind: added ? 'added' : removed ? 'removed' : 'kept', text }) as const)
  );
}

/**
 * What takes the changes of the cells `ids` back, given the cells that are there `now`.
 *
 * `left` are those that the person has changed since, which stay as they are.
 */
export function undoing(
  changes: IChanges,
  ids: readonly string[],
  now: readonly ICell[]
): { readonly steps: readonly Step[]; readonly left: readonly string[] } {
  const chosen = changes.list.filter(one => ids.includes(one.id));
  const left = chosen.filter(one => isTheirs(one, sourceOf(now, one.id))).map(one => one.id);
  const mine = chosen.filter(one => !left.includes(one.id));
  const steps = mine.flatMap(one => contentSteps(one, cellOf(now, one.id)));
  const removed = steps.filter(step => step.kind === 'remove').map(step => step.id);
  const places = now.map(idOf).filter(id => !removed.includes(id));
  return { steps: [...steps, ...placeSteps(changes, mine, places)], left };
}

function isNothing({ before, after, isMoved }: IChange): boolean {
  return (!before && !after) || (!isMoved && !!before && !!after && isSame(before, after));
}

function isSame(one: ICell, other: ICell): boolean {
  return textOf(one) === textOf(other) && isSameRun(one, other);
}

/** Whether an execution has left the same in both cells; a file may have it in another order. */
function isSameRun(one: ICell, other: ICell): boolean {
  const [first, second] = [one, other].map(cell => {
    const { execution_count, outputs } = cell as ICodeCell;
    return [execution_count ?? null, outputs ?? []] as ReadonlyJSONValue;
  });
  return JSONExt.deepEqual(first!, second!);
}

function isStanding({ before, after, isMoved }: IChange, now: ICell | undefined): boolean {
  if (!before || !now) {
    return before !== null || now !== undefined;
  }
  if (!after) {
    return false;
  }
  const isEdited = textOf(before) !== textOf(after);
  return isMoved || (isEdited ? textOf(now) !== textOf(before) : isSameRun(now, after) && !isSameRun(before, after));
}

function contentSteps({ id, before, after }: IChange, now: ICell | undefined): readonly Step[] {
  if (!before) {
    return now ? [{ kind: 'remove', id }] : [];
  }
  if (!after || !now || isSame(before, after)) {
    return [];
  }
  // A cell that the person has run again keeps what came of it.
  const withOutputs = !isSameRun(before, after) && isSameRun(now, after);
  return [{ kind: 'restore', id, cell: before, withOutputs }];
}

/** Bring deleted and moved cells back to behind those that they stood behind. */
function placeSteps(changes: IChanges, mine: readonly IChange[], places: readonly string[]): readonly Step[] {
  const now = places.slice();
  const astray = new Set(changes.list.filter(one => one.isMoved).map(one => one.id));
  const steps: Step[] = [];
  changes.order.forEach((id, place) => {
    const change = mine.find(one => one.id === id);
    const isBack = change?.before && (!change.after || change.isMoved);
    if (!isBack) {
      return;
    }
    const from = now.indexOf(id);
    if (from >= 0) {
      now.splice(from, 1);
    }
    const anchor = changes.order
      .slice(0, place)
      .reverse()
      .find(other => !astray.has(other) && now.includes(other));
    const index = anchor === undefined ? 0 : now.indexOf(anchor) + 1;
    now.splice(index, 0, id);
    astray.delete(id);
    if (from < 0) {
      steps.push({ kind: 'put', id, cell: change.before!, index });
    } else if (from !== index) {
      steps.push({ kind: 'move', id, index });
    }
  });
  return steps;
}

function cellOf(cells: readonly ICell[], id: string): ICell | undefined {
  return cells.find(cell => idOf(cell) === id);
}

function sourceOf(cells: readonly ICell[], id: string): string | undefined {
  const cell = cellOf(cells, id);
  return cell && textOf(cell);
}

function idOf(cell: ICell): string {
  return typeof cell.id === 'string' ? cell.id : '';
}
