/**
 * What is being written, kept by session, sent and given back.
 */
import { IStateDB } from '@jupyterlab/statedb';

import { Dispatch } from '../dispatch';
import { Draft } from '../draft';
import { Drafts, parseTexts, withText } from '../drafts';
import { KernelMessage } from '../../protocol';

const CELL = { cell_id: 'a', index: 0, source: '1', output: '' };
const NO_STATUS = { type: 'events', events: [] } as const;

/** A state database that holds one value. */
function stateOf(value: unknown): IStateDB {
  return { fetch: () => Promise.resolve(value), save: () => Promise.resolve() } as unknown as IStateDB;
}

test('drafts are kept within bounds, the newest last', () => {
  const many = Array.from({ length: 40 }, (_, place) => `s${place}`);
  const texts = many.reduce((kept, session) => withText(kept, session, 'x'), parseTexts(null));
  expect(texts).toHaveLength(30);
  expect(texts[29]).toEqual(['s39', 'x']);
  expect(withText(texts, 's39', '')).toHaveLength(29);
  expect(withText([], 's', 'x'.repeat(20_001))).toEqual([]);
});

test.each([null, 7, { a: 'b' }, [['a', 1], 'b', ['c']]])('%j holds no drafts', data => {
  expect(parseTexts(data)).toEqual([]);
});

test('what was left in a session is there again, and what is being written goes along', async () => {
  const draft = new Draft(new Drafts(stateOf([['one', 'left here']])));
  await draft.enter('one');
  expect(draft.text).toBe('left here');
  await draft.enter('two');
  expect(draft.text).toBe('left here');
  draft.write('');
  await draft.enter('one');
  expect(draft.text).toBe('');
});

test('a cell that is attached again is brought up to date', () => {
  const draft = new Draft(new Drafts(null));
  draft.attach([CELL, { ...CELL, cell_id: 'b' }]);
  draft.attach([{ ...CELL, source: '2' }]);
  expect(draft.cells.map(cell => [cell.cell_id, cell.source])).toEqual([
    ['b', '1'],
    ['a', '2']
  ]);
  draft.detach('b');
  expect(draft.cells).toHaveLength(1);
  expect(draft.isEmpty).toBe(true);
});

test('what nobody takes stays', () => {
  const draft = new Draft(new Drafts(null));
  draft.write('hello');
  draft.attach([CELL]);
  const dispatch = new Dispatch(draft, () => false);
  expect(dispatch.send('prompt')).toBe(false);
  expect([draft.text, draft.cells]).toEqual(['hello', [CELL]]);
  expect(dispatch.pending).toBe('');
});

test('what was sent and not said comes back before what was written since', () => {
  const draft = new Draft(new Drafts(null));
  draft.write('first');
  const dispatch = new Dispatch(draft, () => true);
  dispatch.send('prompt');
  expect([draft.text, dispatch.pending]).toEqual(['', 'first']);
  draft.write('second');
  dispatch.look(NO_STATUS);
  dispatch.giveBack();
  expect([draft.text, dispatch.pending]).toEqual(['first\n\nsecond', '']);
});

test('what is queued has arrived', () => {
  const draft = new Draft(new Drafts(null));
  draft.write('stop that');
  const dispatch = new Dispatch(draft, () => true);
  dispatch.send('steer');
  const status = { type: 'status', queued: [{ delivery: 'steer', text: 'stop that' }] };
  dispatch.look({ type: 'events', events: [status] } as unknown as KernelMessage);
  expect(dispatch.pending).toBe('');
});
