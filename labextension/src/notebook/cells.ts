/**
 * The cells of one open notebook, read and changed for the agent through the model that the editor shows:
 * so undo, the mark of unsaved changes and collaboration work as for the person's own changes.
 *
 * Knows no widget: where one is needed it is told through `ICellView`.
 */
import { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import { ICell, IOutput } from '@jupyterlab/nbformat';
import { UUID } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import {
  IChange,
  IChanges,
  isTheirs,
  NO_CHANGES,
  standing,
  Step,
  textOf,
  undoing,
  withChange,
  withoutChanges
} from './changes';
import { IOutput as ITold, outputText } from './outputs';
import { ICellOutcome, INotebookDoneRequest, INotebookMessage } from '../protocol';

/** Of one output when all cells are read. */
const FEW_CHARS = 2000;

/** What is asked of the one who shows the cells. */
export interface ICellView {
  /** `null` when the notebook is gone. */
  readonly notebook: ISharedNotebook | null;
  readonly isReadOnly: boolean;
  /** Whether the person is typing in that cell. */
  isTyping(id: string): boolean;
  /** A cell was put in. */
  onInserted(index: number): void;
}

/** What became of a message: the cells, or why nothing was done. */
export type Outcome = Pick<INotebookDoneRequest, 'problem' | 'cells' | 'cell_count'>;

export class LiveCells {
  constructor(view: ICellView) {
    this._view = view;
  }

  /** What was changed since `begin` and is not settled. */
  get changes(): IChanges {
    return this._changes;
  }

  /** The cells among them that are no longer as the run left them; they stay when changes are taken back. */
  get theirs(): readonly string[] {
    const cells = this._view.notebook?.cells ?? [];
    const sourceOf = (id: string): string | undefined => cells.find(cell => cell.id === id)?.getSource();
    return this._changes.list.filter(one => isTheirs(one, sourceOf(one.id))).map(one => one.id);
  }

  /** Emitted when there are other changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** A new run begins; what is left of the one before stays as it is. */
  begin(): void {
    this._set(NO_CHANGES);
  }

  /** Changes that an earlier page knew of: those that still stand are known again. */
  resume(changes: IChanges): void {
    const cells = this._view.notebook?.cells.map(cell => cell.toJSON()) ?? [];
    this._set(standing(changes, cells));
  }

  /** Do what `message` asks. */
  answer(message: INotebookMessage): Outcome {
    const notebook = this._view.notebook;
    if (!notebook) {
      return failed('The notebook is closed.', 0);
    }
    try {
      const cells = message.action === 'look' ? [] : this._done(notebook, message);
      return { problem: '', cells, cell_count: notebook.cells.length };
    } catch (error) {
      return failed(error instanceof Problem ? error.message : `The notebook failed: ${error}`, notebook.cells.length);
    }
  }

  /** Put a cell in, as a part of the run; its id. */
  insert(
    index: number,
    cell_type: ICellOutcome['cell_type'],
    source: string,
    metadata = {},
    id: string = UUID.uuid4()
  ): string {
    const notebook = this._view.notebook!;
    const order = ids(notebook);
    const made = cell_type === 'code' ? { trusted: true, ...metadata } : metadata;
    const cell = notebook.insertCell(index, { cell_type, id, source, metadata: made });
    this._note(order, { id, before: null, after: cell.toJSON(), isMoved: false });
    this._view.onInserted(index);
    return id;
  }

  /** Note that a cell which was `before` has been run. */
  ran(before: ICell): void {
    const notebook = this._view.notebook;
    const cell = notebook?.cells.find(one => one.id === before.id);
    if (notebook && cell) {
      this._note(ids(notebook), { id: cell.id, before, after: cell.toJSON(), isMoved: false });
    }
  }

  /** The changes of these cells are as the person wants them. */
  accept(cells: readonly string[]): void {
    this._set(withoutChanges(this._changes, cells));
  }

  /** Take the changes of these cells back; those that the person has changed since, which stay. */
  undo(cells: readonly string[]): readonly string[] {
    const notebook = this._view.notebook;
    if (!notebook) {
      return cells;
    }
    const { steps, left } = undoing(this._changes, cells, notebook.cells.map(cell => cell.toJSON()));
    // Not as one transaction: a cell that was moved in it is not to be found again before it ends.
    steps.forEach(step => this._apply(notebook, step));
    this._set(withoutChanges(this._changes, cells.filter(id => !left.includes(id))));
    return left;
  }

  private _done(notebook: ISharedNotebook, message: INotebookMessage): ICellOutcome[] {
    const { action, cell_id, cell_type, source } = message;
    if (action === 'read') {
      return cell_id ? [outcome(notebook, find(notebook, cell_id))] : notebook.cells.map(cell => outcome(notebook, cell, FEW_CHARS));
    }
    if (this._view.isReadOnly) {
      throw new Problem('The notebook is read-only in the editor: the person has to make it writable.');
    }
    if (action === 'insert') {
      const index = cell_id ? notebook.cells.indexOf(find(notebook, cell_id)) + 1 : 0;
      const id = this.insert(index, cell_type, source);
      return [outcome(notebook, find(notebook, id))];
    }
    const cell = find(notebook, cell_id);
    const before = outcome(notebook, cell);
    this._check(before, cell, message);
    switch (action) {
      case 'edit':
        this._edit(notebook, cell, source);
        return [outcome(notebook, cell)];
      case 'delete':
        this._delete(notebook, cell);
        return [before];
      default:
        return [outcome(notebook, this._move(notebook, cell, message.index))];
    }
  }

  /** Throw what stands against changing the cell. */
  private _check({ index, source }: ICellOutcome, cell: ISharedCell, { action, expected }: INotebookMessage): void {
    const name = `Cell ${index + 1}`;
    if (action === 'edit' && cell.getMetadata('editable') === false) {
      throw new Problem(`${name} is locked by the person (editable: false). Take another way, or ask them to unlock it.`);
    }
    if (action === 'delete' && cell.getMetadata('deletable') === false) {
      throw new Problem(`${name} is locked by the person (deletable: false). Leave it, or ask them to unlock it.`);
    }
    if (expected !== null && expected !== source) {
      throw new Problem(`${name} was not changed: the person has changed it just now. It is now:\n${source}`);
    }
    if (action !== 'edit' && this._view.isTyping(cell.id)) {
      throw new Problem(`The person is typing in cell ${index + 1}: it stays where it is. Ask them, or try again later.`);
    }
  }

  private _edit(notebook: ISharedNotebook, cell: ISharedCell, source: string): void {
    const before = cell.toJSON();
    setSource(cell, source);
    this._note(ids(notebook), { id: cell.id, before, after: cell.toJSON(), isMoved: false });
  }

  private _delete(notebook: ISharedNotebook, cell: ISharedCell): void {
    const [order, before] = [ids(notebook), cell.toJSON()];
    notebook.deleteCell(notebook.cells.indexOf(cell));
    this._note(order, { id: String(before.id), before, after: null, isMoved: false });
  }

  private _move(notebook: ISharedNotebook, cell: ISharedCell, index: number): ISharedCell {
    const [order, before, from] = [ids(notebook), cell.toJSON(), notebook.cells.indexOf(cell)];
    const last = notebook.cells.length - 1;
    if (index < 0 || index > last) {
      throw new Problem(`There is no place ${index + 1}: the notebook has ${last + 1} cells.`);
    }
    if (index !== from) {
      notebook.moveCell(from, index);
      this._view.onInserted(index);
    }
    const moved = notebook.cells[index]!;
    this._note(order, { id: moved.id, before, after: moved.toJSON(), isMoved: index !== from });
    return moved;
  }

  private _apply(notebook: ISharedNotebook, step: Step): void {
    const from = notebook.cells.findIndex(cell => cell.id === step.id);
    switch (step.kind) {
      case 'remove':
        notebook.deleteCell(from);
        break;
      case 'restore':
        restore(notebook.cells[from]!, step);
        break;
      case 'put':
        notebook.insertCell(step.index, step.cell as Parameters<ISharedNotebook['insertCell']>[1]);
        this._view.onInserted(step.index);
        break;
      case 'move':
        notebook.moveCell(from, step.index);
        this._view.onInserted(step.index);
        break;
    }
  }

  private _note(order: readonly string[], change: IChange): void {
    this._set(withChange(this._changes, order, change));
  }

  private _set(changes: IChanges): void {
    if (changes !== this._changes) {
      this._changes = changes;
      this._changed.emit();
    }
  }

  private readonly _changed = new Signal<this, void>(this);
  private _changes = NO_CHANGES;
  private readonly _view: ICellView;
}

/** Why a message was not carried out, for the model to read. */
class Problem extends Error {}

function failed(problem: string, cell_count: number): Outcome {
  return { problem, cells: [], cell_count };
}

function ids(notebook: ISharedNotebook): string[] {
  return notebook.cells.map(cell => cell.id);
}

/** The cell with that id, or the only one whose id begins so. */
function find(notebook: ISharedNotebook, id: string): ISharedCell {
  const exact = notebook.cells.find(cell => cell.id === id);
  const found = exact ? [exact] : notebook.cells.filter(cell => cell.id.startsWith(id));
  if (found.length !== 1) {
    const many = found.length ? `${found.length} cells have ids that begin with` : 'No cell has the id';
    throw new Problem(`${many} '${id}'. read_cells shows the ids as they are now.`);
  }
  return found[0]!;
}

function outcome(notebook: ISharedNotebook, cell: ISharedCell, maxChars?: number): ICellOutcome {
  const code = cell.cell_type === 'code' ? (cell as ISharedCodeCell) : null;
  return {
    cell_id: cell.id,
    index: notebook.cells.indexOf(cell),
    cell_type: cell.cell_type as ICellOutcome['cell_type'],
    source: cell.getSource(),
    execution_count: code?.execution_count ?? null,
    outputs: code ? outputText(code.getOutputs() as unknown as ITold[], maxChars) : ''
  };
}

/** Change only what differs, so that the caret of a person who is in the cell stays where it is. */
function setSource(cell: ISharedCell, source: string): void {
  const before = cell.getSource();
  const most = Math.min(before.length, source.length);
  let start = 0;
  while (start < most && before[start] === source[start]) {
    start++;
  }
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === source[source.length - 1 - end]) {
    end++;
  }
  cell.updateSource(start, before.length - end, source.slice(start, source.length - end));
}

function restore(cell: ISharedCell, { cell: before, withOutputs }: Extract<Step, { kind: 'restore' }>): void {
  setSource(cell, textOf(before));
  if (withOutputs && cell.cell_type === 'code') {
    const code = cell as ISharedCodeCell;
    code.setOutputs((before as { outputs?: IOutput[] }).outputs ?? []);
    code.execution_count = (before as { execution_count?: number | null }).execution_count ?? null;
  }
}
