/**
 * What a run changed, over a reload of the page and in a second one.
 */
import { YNotebook } from '@jupyter/ydoc';
import { ICell } from '@jupyterlab/nbformat';
import { Signal } from '@lumino/signaling';

import { LiveCells } from '../cells';
import { ChangeKeeper } from '../changekeeper';
import { IChange, NO_CHANGES } from '../changes';
import { KeptChanges, keyOf } from '../keptchanges';
import { INotebookMessage } from '../../protocol';

const SOURCES = ['a = 1', 'b = 2', 'gone = 3'];

let warn: jest.SpyInstance;

beforeEach(() => {
  window.localStorage.clear();
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => warn.mockRestore());

/** A page that shows `cells` of the file at `path`. */
async function page(cells: readonly Partial<ICell>[], path = 'cells.ipynb') {
  const notebook = YNotebook.create() as YNotebook;
  notebook.insertCells(0, cells as Parameters<YNotebook['insertCells']>[1]);
  const live = new LiveCells({ notebook, isReadOnly: false, isTyping: () => false, onInserted: () => undefined });
  const file = { path, ready: Promise.resolve(), pathChanged: new Signal<object, string>({}) };
  const keeper = new ChangeKeeper(file, live, new KeptChanges(window.localStorage));
  await file.ready;
  await Promise.resolve();
  const say = (message: Partial<INotebookMessage>): unknown =>
    live.answer({ ...{ type: 'notebook', request_id: 'r', action: 'edit', cell_id: '', index: 0 }, ...message } as INotebookMessage);
  const saved = (): ICell[] => JSON.parse(JSON.stringify(notebook.cells.map(cell => cell.toJSON())));
  return { notebook, live, file, keeper, say, saved };
}

function code(id: string, source: string, text = `${id}\n`): Partial<ICell> {
  const outputs = [{ output_type: 'stream', name: 'stdout', text }];
  return { cell_type: 'code', id, source, metadata: {}, outputs, execution_count: 1 };
}

const CELLS = SOURCES.map((source, place) => code(`c${place}`, source));

async function changed() {
  const first = await page(CELLS);
  const before = first.saved();
  first.say({ action: 'edit', cell_id: 'c0', source: 'a = 10', expected: 'a = 1' });
  first.say({ action: 'delete', cell_id: 'c2', expected: 'gone = 3' });
  first.say({ action: 'insert', cell_id: 'c1', cell_type: 'code', source: 'new = 4' });
  first.keeper.dispose();
  return { before, saved: first.saved() };
}

function ids({ live }: { readonly live: LiveCells }): readonly string[] {
  return live.changes.list.map(one => one.id);
}

test('the next page knows of the changes and takes them back exactly', async () => {
  const { before, saved } = await changed();
  const next = await page(saved);
  expect(ids(next).slice(0, 2)).toEqual(['c0', 'c2']);
  expect(next.live.theirs).toEqual([]);
  expect(next.live.undo(ids(next))).toEqual([]);
  expect(next.saved()).toEqual(before);
  expect(window.localStorage).toHaveLength(0);
});

test('a cell that was changed in the meantime is said to be, and stays', async () => {
  const { saved } = await changed();
  const next = await page(saved.map(cell => (cell.id === 'c0' ? { ...cell, source: 'a = 11' } : cell)));
  expect(next.live.theirs).toEqual(['c0']);
  expect(next.live.undo(ids(next))).toEqual(['c0']);
  expect(next.notebook.cells.map(cell => cell.getSource())).toEqual(['a = 11', 'b = 2', 'gone = 3']);
});

test('a page that was left before the notebook was saved, another notebook and another file know of none', async () => {
  const { before, saved } = await changed();
  expect(ids(await page(before))).toEqual([]);
  expect(ids(await page([code('other', 'a = 10')]))).toEqual([]);
  expect(ids(await page(saved, 'other.ipynb'))).toEqual([]);
  expect(ids(await page(saved))).toHaveLength(3);
});

test('outputs that a run left are known again in whatever order the file has their fields', async () => {
  const first = await page(CELLS);
  const [before] = first.saved();
  first.notebook.cells[0]!.setMetadata('x', 1);
  (first.notebook.cells[0] as unknown as { setOutputs(outputs: unknown[]): void }).setOutputs([
    { output_type: 'stream', name: 'stdout', text: 'new\n' }
  ]);
  first.live.ran(before!);
  first.keeper.dispose();
  const saved = first.saved();
  const next = await page([{ ...saved[0]!, outputs: [{ text: 'new\n', name: 'stdout', output_type: 'stream' }] }, ...saved.slice(1)]);
  expect(next.live.undo(['c0'])).toEqual([]);
  expect(next.saved()[0]!.outputs).toEqual(before!.outputs);
});

test('what is settled in one page is settled in the other, and a new run begins with nothing', async () => {
  const { saved } = await changed();
  const [one, other] = [await page(saved), await page(saved)];
  const key = keyOf('cells.ipynb');
  const tell = (oldValue: string | null): void => {
    window.dispatchEvent(new StorageEvent('storage', { key, oldValue, newValue: window.localStorage.getItem(key) }));
  };
  let old = window.localStorage.getItem(key);
  one.live.accept(['c0']);
  tell(old);
  expect(ids(other)).toEqual(ids(one));
  expect(ids(other)).toHaveLength(2);
  old = window.localStorage.getItem(key);
  one.live.begin();
  tell(old);
  expect(ids(other)).toEqual([]);
  expect(window.localStorage).toHaveLength(0);
});

test('a page that cannot see all changes yet leaves the others to the one that can', async () => {
  const { before, saved } = await changed();
  const behind = await page([saved[0]!, ...before.slice(1)]);
  expect(ids(behind)).toEqual(['c0']);
  behind.live.accept(['c0']);
  expect(ids(await page(saved))).toHaveLength(2);
});

test('changes go along with a notebook that is renamed', async () => {
  const { saved } = await changed();
  const next = await page(saved);
  next.file.path = 'named.ipynb';
  next.file.pathChanged.emit('named.ipynb');
  expect(Object.keys(window.localStorage)).toEqual([keyOf('named.ipynb')]);
  expect(ids(await page(saved, 'named.ipynb'))).toHaveLength(3);
});

test('what is kept has bounds: of notebooks, of days, of characters', () => {
  const clock = jest.spyOn(Date, 'now');
  const kept = new KeptChanges(window.localStorage);
  const change: IChange = { id: 'c0', before: null, after: code('c0', 'x') as ICell, isMoved: false };
  const changes = { order: [], list: [change] };
  window.localStorage.setItem('of another', 'x');
  for (let place = 0; place < 15; place++) {
    clock.mockReturnValue(place);
    kept.keep(`${place}.ipynb`, changes);
  }
  expect(window.localStorage).toHaveLength(11);
  expect([kept.of('4.ipynb'), kept.of('5.ipynb')]).toEqual([NO_CHANGES, changes]);
  clock.mockReturnValue(8 * 24 * 3600 * 1000);
  expect(kept.of('14.ipynb')).toBe(NO_CHANGES);
  kept.keep('new.ipynb', changes);
  expect(window.localStorage).toHaveLength(2);
  clock.mockRestore();

  const large = code('c1', 'x', 'y'.repeat(400_000)) as ICell;
  kept.keep('new.ipynb', { order: ['c1'], list: [{ id: 'c1', before: large, after: null, isMoved: false }] });
  const { before, isLean } = kept.of('new.ipynb').list[0]!;
  expect([before!.outputs, isLean]).toEqual([[], true]);
  kept.keep('new.ipynb', { order: [], list: [{ ...change, after: { ...change.after!, source: 'y'.repeat(400_000) } }] });
  expect(kept.of('new.ipynb')).toBe(NO_CHANGES);
});

test.each(['null', '7', '{"a"', '{"changes": {"order": 3}, "written": 1}', '{"changes": {"order": [], "list": [{}]}}'])(
  '%s is no change',
  data => {
    window.localStorage.setItem(keyOf('a.ipynb'), data);
    expect(new KeptChanges(window.localStorage).of('a.ipynb')).toBe(NO_CHANGES);
  }
);

test('a store that is full keeps nothing rather than what is no longer true', () => {
  const store = { ...window.localStorage, removeItem: jest.fn(), setItem: (): void => { throw new Error('full'); } };
  new KeptChanges(store).keep('a.ipynb', { order: [], list: [{ id: 'a', before: null, after: null, isMoved: false }] });
  expect(store.removeItem).toHaveBeenCalledWith(keyOf('a.ipynb'));
  expect(warn).toHaveBeenCalledTimes(1);
});
