/**
 * Sorting and filtering of the ledger and of the parts.
 */
import { IFileRow, IPart } from '../../protocol';
import { numberAfter } from '../views/chart';
import { tabAfter } from '../views/tabs';
import { numberIn } from '../views/timeline';
import { arrange, arrangeParts } from '../rows';

const FILES: readonly IFileRow[] = ['b.csv', 'a10.csv', 'a9.csv'].map((path, index) => ({
  path,
  reads: index,
  writes: 0,
  modifications: 0,
  last: 'read',
  renamed_to: '',
  by: index ? ['agent', 'you'] : ['agent'],
  time: 10 - index
}));

const PARTS: readonly IPart[] = ['tool_results', 'assistant', 'tool_calls', 'user'].map((category, index) => ({
  key: `entry:${index}`,
  entry_id: String(index),
  category,
  label: `${category} Number ${index}`,
  tokens: 10 * index,
  age: 0,
  is_cached: false,
  is_shortened: false,
  can_hide: true
}));

function paths(query: string, column: string, isDescending = false): readonly string[] {
  return arrange(FILES, query, { column, isDescending }).map(row => row.path);
}

test('numbers are sorted as numbers, texts as a person counts', () => {
  expect(paths('', 'time')).toEqual(['a9.csv', 'a10.csv', 'b.csv']);
  expect(paths('', 'path')).toEqual(['a9.csv', 'a10.csv', 'b.csv']);
  expect(paths('', 'path', true)).toEqual(['b.csv', 'a10.csv', 'a9.csv']);
});

test('rows that are equal keep their order, and the rows given are left alone', () => {
  expect(paths('', 'writes')).toEqual(['b.csv', 'a10.csv', 'a9.csv']);
  expect(FILES[0]!.path).toBe('b.csv');
});

test('a row is found by words in any of its fields, in any case', () => {
  expect(paths('YOU a1', 'time')).toEqual(['a10.csv']);
  expect(paths('nowhere', 'time')).toEqual([]);
});

test('a category has the parts of its own and those that it may stand in', () => {
  const of = (category: string): readonly string[] =>
    arrangeParts(PARTS, { category, query: '', order: 'sent' }).map(part => part.entry_id);
  expect([of(''), of('user'), of('thinking'), of('images')]).toEqual([['0', '1', '2', '3'], ['3'], ['1', '2'], []]);
});

test('parts are the largest first, or as sent', () => {
  const of = (order: 'largest' | 'sent', query = ''): readonly string[] =>
    arrangeParts(PARTS, { category: '', query, order }).map(part => part.entry_id);
  expect([of('largest'), of('sent'), of('sent', 'number 2')]).toEqual([['3', '2', '1', '0'], ['0', '1', '2', '3'], ['2']]);
});

test.each([
  ['composition', 'ArrowRight', 'timeline'],
  ['composition', 'ArrowLeft', 'raw'],
  ['raw', 'ArrowRight', 'composition'],
  ['ledger', 'Home', 'composition'],
  ['ledger', 'End', 'raw'],
  ['ledger', 'a', null],
  ['ledger', 'constructor', null]
] as const)('in the tab %s the key %s leads to %s', (tab, key, expected) => {
  expect(tabAfter(tab, key)).toBe(expected);
});

test.each([
  ['ArrowLeft', 5, 4],
  ['ArrowRight', 9, 10],
  ['ArrowRight', 10, 10],
  ['PageDown', 5, 2],
  ['Home', 7, 2],
  ['End', 7, 10],
  ['x', 7, null]
] as const)('the key %s leads from request %p to %p', (key, number, expected) => {
  expect(numberAfter(key, number, { width: 1, height: 1, top: 1, first: 2, last: 10 })).toBe(expected);
});

test.each([
  ['3', 3],
  ['', undefined],
  ['0', undefined],
  ['11', undefined],
  ['-1', undefined],
  ['x', undefined]
])('%p is the number %p', (text, number) => {
  expect(numberIn(text, 10)).toBe(number);
});
