/**
 * The rows that segments make.
 */
import { ICallSegment, Segment } from '../../protocol';
import { heightOf, rowsOf } from '../rows';

function call(id: string, more: Partial<ICallSegment> = {}): Segment {
  const none = { call_id: id, tool: 'run_code', given: '1', output: '', hidden_lines: 0, path: '', images: [], seconds: 0 };
  return { type: 'call', id, state: 'done', ...none, ...more };
}

function answer(id: string): Segment {
  return { type: 'text', id, text: 'Done.', is_whole: true, interrupted: '' };
}

const FOUR = ['c1', 'c2', 'c3', 'c4'].map(id => call(id));
const kinds = (segments: readonly Segment[]): string[] => rowsOf(segments).map(row => row.key);

test('more than three finished calls before an answer are one row', () => {
  expect(kinds([answer('a'), ...FOUR, answer('b')])).toEqual(['a', 'calls c1', 'b']);
  expect(kinds([...FOUR.slice(1), answer('b')])).toEqual(['c2', 'c3', 'c4', 'b']);
});

test('calls that nothing has followed stay open', () => {
  expect(kinds(FOUR)).toEqual(['c1', 'c2', 'c3', 'c4']);
});

test('thinking between calls folds with them and is not counted', () => {
  const thought: Segment = { type: 'thinking', id: 't', text: '', is_whole: true };
  expect(kinds([...FOUR.slice(0, 2), thought, ...FOUR.slice(2), answer('b')])).toEqual(['calls c1', 'b']);
  expect(kinds([...FOUR.slice(0, 3), thought, answer('b')])).toEqual(['c1', 'c2', 'c3', 't', 'b']);
});

test('a call that runs or has drawn something is not folded away', () => {
  const image = { mime_type: 'image/png', data: '' };
  const drawn = call('c5', { images: [image] });
  expect(kinds([...FOUR, drawn, answer('b')])).toEqual(['calls c1', 'c5', 'b']);
  expect(kinds([...FOUR, call('c5', { state: 'running' })])).toHaveLength(5);
});

test('a row that has not changed is the same object', () => {
  const segments = [answer('a'), ...FOUR, answer('b')];
  const rows = rowsOf(segments);
  const next = rowsOf([...segments.slice(0, -1), { ...answer('b'), text: 'More.' } as Segment], rows);
  expect(next[0]).toBe(rows[0]);
  expect(next[1]).toBe(rows[1]);
  expect(next[2]).not.toBe(rows[2]);
});

test('a longer text is taken to be higher', () => {
  const [short, long] = rowsOf([answer('a'), { ...answer('b'), text: 'word '.repeat(200) } as Segment]);
  expect(heightOf(long!, 50)).toBeGreaterThan(heightOf(short!, 50) + 300);
});
