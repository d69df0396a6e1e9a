/**
 * What is proposed while the person writes.
 */
import { cellProposals, completed, Completions, INamedCell, IProposal, isWritten, wordStart } from '../completions';
import { ICompletion } from '../../protocol';

const CELLS: readonly INamedCell[] = [
  { cellId: 'a', index: 0, executionCount: 7, source: 'import pandas\npandas' },
  { cellId: 'b', index: 1, executionCount: null, source: 'df.head()' },
  { cellId: 'c', index: 2, executionCount: 8, source: '  ' }
];

function variable(text: string): ICompletion {
  return { text, kind: 'variable', detail: '' };
}

test.each([
  ['look at @d', 8],
  ['@', 0],
  ['(@df', 1],
  ['看@df', 1],
  ['see @"my fi', 4],
  ['/exp', 0],
  ['me@example', null],
  ['look at @df ', null],
  ['a /exp', null],
  ['/a/b', null],
  ['', null]
])('in %j the word begins at %p', (text, start) => {
  expect(wordStart(text)).toBe(start);
});

test('cells that ran have a name, others are attached, empty ones are none', () => {
  expect(cellProposals(CELLS, '@').map(cell => [cell.text, cell.cellId, cell.detail])).toEqual([
    ['@In[7]', undefined, 'import pandas'],
    ['@cell:2', 'b', 'df.head()']
  ]);
  expect(cellProposals(CELLS, '@in[').map(cell => cell.text)).toEqual(['@In[7]']);
  expect(cellProposals(CELLS, '@cell2').map(cell => cell.text)).toEqual(['@cell:2']);
  expect(cellProposals(CELLS, '/x')).toEqual([]);
});

test.each<[string, IProposal, string, number]>([
  ['see @d now', { ...variable('@df') }, 'see @df now', 7],
  ['see @d', { ...variable('@df') }, 'see @df ', 8],
  ['see @d', { ...variable('@data/') }, 'see @data/', 10],
  ['see @d', { text: '@cell:2', kind: 'cell', detail: '', cellId: 'b' }, 'see ', 4]
])('%j becomes what was taken', (text, item, whole, caret) => {
  const proposals = { start: 4, caret: 6, items: [item], selected: 0 };
  expect(completed(text, proposals, item)).toEqual({ text: whole, caret });
});

test.each<[string, IProposal, boolean]>([
  ['/compact', { text: '/compact', kind: 'other', detail: '' }, true],
  ['/comp', { text: '/compact', kind: 'other', detail: '' }, false],
  ['@data/', { ...variable('@data/') }, false],
  ['@cell:2', { text: '@cell:2', kind: 'cell', detail: '', cellId: 'b' }, false]
])('%j is written whole or goes on', (text, item, isWhole) => {
  expect(isWritten(text, { start: 0, caret: text.length, items: [item], selected: 0 })).toBe(isWhole);
});

describe('the list', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A kernel whose answers come when the test says so. */
  function scripted(): { readonly asked: string[]; readonly answer: (place: number, ...texts: string[]) => Promise<void>; readonly list: Completions } {
    const asked: string[] = [];
    const resolves: ((texts: string[]) => void)[] = [];
    const list = new Completions(
      text => {
        asked.push(text);
        return new Promise(resolve => resolves.push(texts => resolve({ start: text.lastIndexOf('@'), items: texts.map(variable) })));
      },
      () => []
    );
    const answer = async (place: number, ...texts: string[]): Promise<void> => {
      resolves[place]!(texts);
      await Promise.resolve();
      await Promise.resolve();
    };
    return { asked, answer, list };
  }

  test('is asked for once the person pauses', () => {
    const { asked, list } = scripted();
    list.update('@', 1);
    list.update('@d', 2);
    jest.runAllTimers();
    list.update('no mention', 10);
    jest.runAllTimers();
    expect(asked).toEqual(['@d']);
  });

  test('never shows an answer to an older question', async () => {
    const { answer, list } = scripted();
    list.update('@d', 2);
    jest.runAllTimers();
    list.update('@da', 3);
    jest.runAllTimers();
    await answer(1, '@data');
    await answer(0, '@df');
    expect(list.shown?.items.map(item => item.text)).toEqual(['@data']);
    list.update('@da ', 4);
    expect(list.shown).toBeNull();
  });

  test('shows nothing that comes after it was closed', async () => {
    const { answer, list } = scripted();
    list.update('@d', 2);
    jest.runAllTimers();
    list.close();
    await answer(0, '@df');
    expect(list.shown).toBeNull();
  });

  test('goes on at its other end', async () => {
    const { answer, list } = scripted();
    list.update('@d', 2);
    jest.runAllTimers();
    await answer(0, '@da', '@db');
    const seen = [-1, 1, 1].map(step => (list.move(step), list.shown?.selected));
    expect(seen).toEqual([1, 0, 1]);
  });

  test('has the cells where the kernel does not answer', async () => {
    const debug = jest.spyOn(console, 'debug').mockImplementation(() => undefined);
    const list = new Completions(() => Promise.reject(new Error('The kernel is not connected.')), () => CELLS);
    list.update('@cell', 5);
    jest.runAllTimers();
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(list.shown?.items.map(item => item.text)).toEqual(['@In[7]', '@cell:2']);
    debug.mockRestore();
  });
});
