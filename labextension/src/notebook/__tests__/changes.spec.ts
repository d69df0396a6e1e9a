/**
 * What a run changed, and the way back: to exactly what was there, whatever was done.
 */
import { YNotebook } from '@jupyter/ydoc';
import { ICell } from '@jupyterlab/nbformat';

import { LiveCells } from '../cells';
import { differenceOf, IChanges, kindOf, NO_CHANGES, withChange } from '../changes';
import { INotebookMessage } from '../../protocol';

// The library complains of each cell that it makes itself before it joins the document.
beforeAll(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));

/** Numbers that look random and are the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface IOpen {
  readonly notebook: YNotebook;
  readonly live: LiveCells;
  typing: string;
  isReadOnly: boolean;
  readonly say: (message: Partial<INotebookMessage>) => ReturnType<LiveCells['answer']>;
}

function open(...sources: string[]): IOpen {
  const notebook = YNotebook.create() as YNotebook;
  notebook.insertCells(0, 
    sources.map((source, index) => ({
      cell_type: source.startsWith('#') ? 'markdown' : 'code',
      id: `cell-${index}`,
      source,
      metadata: { trusted: true, name: source },
      ...(source.startsWith('#')
        ? {}
        : { execution_count: index + 1, outputs: [{ output_type: 'stream', name: 'stdout', text: `${index}\n` }] })
    })) as Parameters<YNotebook['insertCells']>[1]
  );
  const state = { typing: '', isReadOnly: false };
  const view = {
    notebook,
    get isReadOnly() {
      return state.isReadOnly;
    },
    isTyping: (id: string) => id === state.typing,
    onInserted: () => undefined
  };
  const live = new LiveCells(view);
  live.begin();
  const say = (message: Partial<INotebookMessage>) =>
    live.answer({
      type: 'notebook',
      request_id: 'r',
      action: 'read',
      cell_id: '',
      index: 0,
      cell_type: 'code',
      source: '',
      expected: null,
      ...message
    });
  return Object.assign(state, { notebook, live, say }) as IOpen;
}

function cellsOf(notebook: YNotebook): ICell[] {
  return notebook.cells.map(cell => cell.toJSON());
}

function everything(live: LiveCells): string[] {
  return live.changes.list.map(one => one.id);
}

/** Something the agent may do, chosen by `pick`. */
function act({ notebook, live, say }: IOpen, pick: (below: number) => number): void {
  const count = notebook.cells.length;
  const cell = count ? notebook.cells[pick(count)]! : null;
  switch (cell ? pick(5) : 0) {
    case 0:
      say({ action: 'insert', cell_id: cell?.id ?? '', source: `new ${pick(100)}`, cell_type: pick(2) ? 'code' : 'markdown' });
      break;
    case 1:
      say({ action: 'edit', cell_id: cell!.id, source: pick(4) ? `edited ${pick(3)}` : 'a\nb' });
      break;
    case 2:
      say({ action: 'delete', cell_id: cell!.id });
      break;
    case 3:
      say({ action: 'move', cell_id: cell!.id, index: pick(count) });
      break;
    default:
      if (cell!.cell_type === 'code') {
        const before = cell!.toJSON();
        const code = cell as unknown as { execution_count: number; setOutputs(outputs: unknown[]): void };
        code.execution_count = 100 + pick(100);
        code.setOutputs([{ output_type: 'stream', name: 'stdout', text: `${pick(9)}` }]);
        live.ran(before);
      }
  }
}

test.each(Array.from({ length: 120 }, (_, seed) => seed))('after run %i all is as it was once it is taken back', seed => {
  const pick = numbers(seed);
  const opened = open(...['a', 'b', '# text', 'c', 'd\ne', ''].slice(0, pick(7)));
  const before = cellsOf(opened.notebook);
  for (let count = pick(12); count >= 0; count--) {
    act(opened, pick);
  }
  expect(opened.live.undo(everything(opened.live))).toEqual([]);
  expect(cellsOf(opened.notebook)).toEqual(before);
  expect(opened.live.changes).toBe(NO_CHANGES);
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))('run %i taken back cell by cell, in any order, is taken back', seed => {
  const pick = numbers(seed + 1000);
  const opened = open('a', 'b', '# text', 'c', 'd\ne');
  const before = cellsOf(opened.notebook);
  for (let count = 8; count >= 0; count--) {
    act(opened, pick);
  }
  while (everything(opened.live).length) {
    const ids = everything(opened.live);
    expect(opened.live.undo([ids[pick(ids.length)]!])).toEqual([]);
  }
  const byId = (one: ICell, other: ICell): number => String(one.id).localeCompare(String(other.id));
  expect(cellsOf(opened.notebook).sort(byId)).toEqual(before.sort(byId));
});

test('what the person has changed since is left, and said', () => {
  const { notebook, live, say } = open('a', 'b', 'c');
  say({ action: 'edit', cell_id: 'cell-0', source: 'a2' });
  say({ action: 'edit', cell_id: 'cell-1', source: 'b2' });
  say({ action: 'delete', cell_id: 'cell-2' });
  notebook.cells[0]!.setSource('mine');
  expect(live.undo(everything(live))).toEqual(['cell-0']);
  expect(notebook.cells.map(cell => cell.getSource())).toEqual(['mine', 'b', 'c']);
  expect(everything(live)).toEqual(['cell-0']);
});

test('a cell that the person has run again keeps what came of it', () => {
  const { notebook, live, say } = open('a');
  say({ action: 'edit', cell_id: 'cell-0', source: 'a2' });
  const cell = notebook.cells[0] as unknown as { execution_count: number };
  cell.execution_count = 77;
  expect(live.undo(everything(live))).toEqual([]);
  expect(cellsOf(notebook)[0]).toMatchObject({ source: 'a', execution_count: 77 });
});

test('what is accepted is no longer to be taken back', () => {
  const { live, say } = open('a', 'b');
  say({ action: 'edit', cell_id: 'cell-0', source: 'a2' });
  say({ action: 'insert', source: 'top' });
  expect(live.changes.list.map(kindOf)).toEqual(['edited', 'inserted']);
  live.accept(['cell-0']);
  expect(live.changes.list.map(kindOf)).toEqual(['inserted']);
  live.begin();
  expect(live.changes).toBe(NO_CHANGES);
});

test('one undo of the person takes one change of the agent back', () => {
  const { notebook, say } = open('a', 'b');
  notebook.undoManager.clear();
  say({ action: 'edit', cell_id: 'cell-0', source: 'a2' });
  expect(notebook.canUndo()).toBe(true);
  notebook.undo();
  expect(notebook.cells[0]!.getSource()).toBe('a');
});

test('cells are found by the beginning of an id, and refused by one sentence', () => {
  const opened = open('a', 'b');
  const { notebook, say } = opened;
  expect(say({ cell_id: 'cell-1' }).cells[0]).toMatchObject({ index: 1, source: 'b', execution_count: 2, outputs: '1' });
  expect(say({}).cells).toHaveLength(2);
  expect(say({ action: 'look' })).toEqual({ problem: '', cells: [], cell_count: 2 });
  expect(say({ cell_id: 'cell' }).problem).toContain('2 cells have ids that begin with');
  expect(say({ cell_id: 'x' }).problem).toContain("No cell has the id 'x'");
  expect(say({ action: 'edit', cell_id: 'cell-0', source: 'x', expected: 'z' }).problem).toContain('changed it just now');
  expect(say({ action: 'move', cell_id: 'cell-0', index: 5 }).problem).toContain('no place 6');
  notebook.cells[0]!.setMetadata('editable', false);
  notebook.cells[1]!.setMetadata('deletable', false);
  expect(say({ action: 'edit', cell_id: 'cell-0', source: 'x' }).problem).toContain('Cell 1 is locked');
  expect(say({ action: 'delete', cell_id: 'cell-1' }).problem).toContain('Cell 2 is locked');
  opened.typing = 'cell-0';
  expect(say({ action: 'delete', cell_id: 'cell-0' }).problem).toContain('is typing in cell 1');
  opened.isReadOnly = true;
  expect(say({ action: 'insert', source: 'x' }).problem).toContain('read-only');
  expect(notebook.cells.map(cell => cell.getSource())).toEqual(['a', 'b']);
});

test('a difference has the lines that went and came', () => {
  const cell = (source: string): ICell => ({ cell_type: 'code', id: 'c', source, metadata: {} }) as unknown as ICell;
  const change = { id: 'c', before: cell('a\nb\nc'), after: cell('a\nB\nc\n'), isMoved: false };
  expect(differenceOf(change).map(line => `${line.kind[0]} ${line.text}`)).toEqual(['k a', 'r b', 'r c', 'a B', 'a c']);
  const changes: IChanges = withChange(NO_CHANGES, ['c'], change);
  expect(changes.order).toEqual(['c']);
});
