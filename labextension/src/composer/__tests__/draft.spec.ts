/**
 * What is being written, kept by session, sent and given back.
 */
import { Dispatch } from '../dispatch';
import { Draft } from '../draft';
import { Drafts } from '../drafts';
import { KernelMessage } from '../../protocol';

const CELL = { cell_id: 'a', index: 0, source: '1', output: '' };
const NO_STATUS = { type: 'events', events: [] } as const;

beforeEach(() => window.localStorage.clear());

test('a draft is there for the next page, and none where nothing is left', () => {
  new Drafts(window.localStorage).keep('one', 'half a sen');
  expect(new Drafts(window.localStorage).of('one')).toBe('half a sen');
  new Drafts(window.localStorage).keep('one', '');
  expect(window.localStorage).toHaveLength(0);
});

test('drafts are kept within bounds, and nothing of others is touched', () => {
  const clock = jest.spyOn(Date, 'now');
  window.localStorage.setItem('of another', 'x');
  const drafts = new Drafts(window.localStorage);
  for (let place = 0; place < 40; place++) {
    clock.mockReturnValue(place);
    drafts.keep(`s${place}`, 'x');
  }
  clock.mockRestore();
  expect([drafts.of('s9'), drafts.of('s10'), drafts.of('s39')]).toEqual(['', 'x', 'x']);
  expect(window.localStorage).toHaveLength(31);
  drafts.keep('s39', 'x'.repeat(20_001));
  expect(drafts.of('s39')).toBe('');
});

test.each(['null', '7', '{"text": 3}', '{"a"', '[["a", 1], "b"]'])('%s is no draft', data => {
  window.localStorage.setItem('pi-notebook:draft:s', data);
  expect(new Drafts(window.localStorage).of('s')).toBe('');
});

test('a store that is full is said once in the console and loses nothing of the page', () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const full = { ...window.localStorage, setItem: (): void => { throw new Error('full'); } };
  const draft = new Draft(new Drafts(full));
  draft.enter('one');
  draft.write('hello');
  expect(draft.text).toBe('hello');
  expect(warn).toHaveBeenCalledTimes(1);
  warn.mockRestore();
});

test('what was left in a session is there again, and what is being written goes along', () => {
  new Drafts(window.localStorage).keep('one', 'left here');
  const draft = new Draft(new Drafts(window.localStorage));
  draft.enter('one');
  expect(draft.text).toBe('left here');
  draft.enter('two');
  expect(draft.text).toBe('left here');
  draft.write('');
  draft.enter('one');
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
