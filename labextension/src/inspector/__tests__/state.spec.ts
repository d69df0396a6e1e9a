/**
 * What the inspector asks for, and what it keeps.
 */
import { readFileSync } from 'fs';
import { join } from 'path';

import { ICompositionReply, ILedgerReply, IOverviewReply } from '../../protocol';
import { Reply } from '../source';
import { Action, INITIAL_STATE, IState, reduce } from '../state';
import { compactionId, compositionOf, foldedBy, overviewOf, pair, partId, trouble, wanted } from '../wanted';

const FOLDER = join(__dirname, '../../../../tests/fixtures/protocol');

function example<T extends Reply>(name: string): T {
  return JSON.parse(readFileSync(join(FOLDER, `kernel_${name}.json`), 'utf8')) as T;
}

const OVERVIEW = example<IOverviewReply>('overview');
const COMPOSITION = example<ICompositionReply>('composition');

/** The state after `actions`, in which every question that is in `replies` is answered. */
function after(...actions: readonly Action[]): IState {
  return answered(actions.reduce(reduce, answered(INITIAL_STATE)));
}

function answered(state: IState): IState {
  const replies: Readonly<Record<string, Reply>> = {
    inspect_overview: OVERVIEW,
    inspect_composition: COMPOSITION,
    inspect_compaction: example('compaction'),
    inspect_ledger: example<ILedgerReply>('ledger')
  };
  return wanted(state).reduce((next, { key, question }) => {
    const reply = replies[question.type];
    return reply ? reduce(next, { type: 'answered', key, reply, generation: next.generation }) : next;
  }, state);
}

function asked(state: IState): readonly string[] {
  return wanted(state).map(({ question }) => question.type);
}

test.each([
  ['composition', ['inspect_overview', 'inspect_composition']],
  ['timeline', ['inspect_overview', 'inspect_composition']],
  ['compactions', ['inspect_overview']],
  ['ledger', ['inspect_overview', 'inspect_ledger']],
  ['raw', ['inspect_overview', 'inspect_raw']]
] as const)('only what the tab %s shows is asked for', (tab, types) => {
  expect(asked(after({ type: 'tab', tab }))).toEqual(types);
});

test('a part that is open is asked for, and no longer once it is closed', () => {
  const id = partId('request', COMPOSITION.parts[0]!);
  const open = after({ type: 'toggle', id });
  expect(asked(open)).toContain('inspect_part');
  expect(asked(reduce(open, { type: 'toggle', id }))).not.toContain('inspect_part');
});

test.each([
  [9, 2, null, 2],
  [2, 9, 2, undefined],
  [9, null, null, undefined],
  [4, 3, 4, 3]
])('of requests %s and %s, those that a branch has no more are no longer chosen', (number, compared, chosen, other) => {
  const state = [
    { type: 'choose', number } as const,
    { type: 'compare', number: compared } as const,
    { type: 'answered', key: 'o', reply: OVERVIEW, generation: 0 } as const
  ].reduce(reduce, INITIAL_STATE);
  expect([OVERVIEW.count, state.number, state.compared]).toEqual([4, chosen, other]);
});

test('a part stays open in another request that has it', () => {
  const id = partId('request', COMPOSITION.parts[0]!);
  const state = after({ type: 'toggle', id }, { type: 'choose', number: 3 });
  expect(wanted(state)[2]!.question).toEqual({ type: 'inspect_part', number: 3, key: COMPOSITION.parts[0]!.key });
});

test('a compaction that is open is asked for with the folded messages that are', () => {
  const entry = OVERVIEW.compactions[0]!.entry_id;
  const opened = after({ type: 'tab', tab: 'compactions' }, { type: 'toggle', id: compactionId(entry) });
  const state = reduce(opened, { type: 'toggle', id: partId(foldedBy(entry), COMPOSITION.parts[0]!) });
  expect(asked(state)).toEqual(['inspect_overview', 'inspect_compaction', 'inspect_part']);
  expect(wanted(state).pop()!.question).toMatchObject({ number: null, compaction: entry });
});

test.each([
  [4, 2, { earlier: 2, later: 4 }],
  [2, 4, { earlier: 2, later: 4 }],
  [null, 4, { earlier: 4, later: null }],
  [4, null, { earlier: 4, later: null }],
  [4, undefined, null],
  [4, 4, null],
  [null, null, null]
])('the requests %p and %p are compared as %p', (number, compared, expected) => {
  const state = after({ type: 'choose', number }, { type: 'compare', number: compared });
  expect(pair(state)).toEqual(expected);
});

test('choosing the request that is compared with ends the comparison', () => {
  const state = after({ type: 'compare', number: 2 }, { type: 'choose', number: 2 });
  expect(state.compared).toBeUndefined();
});

test('an answer stays while its question is asked again', () => {
  const before = after();
  const { key } = wanted(before)[1]!;
  const state = reduce(reduce(before, { type: 'changed' }), { type: 'asked', key });
  expect(compositionOf(state)).toBe(COMPOSITION);
});

test('another session closes what was open and forgets what was answered of the one before', () => {
  const before = after({ type: 'choose', number: 3 }, { type: 'toggle', id: 'request m2' });
  const { key } = wanted(before)[0]!;
  const reply = { ...OVERVIEW, session_id: 'another' };
  const state = reduce(before, { type: 'answered', key, reply, generation: 0 });
  expect(overviewOf(state)).toBe(reply);
  expect([state.number, state.open.size, compositionOf(state)]).toEqual([null, 0, null]);
});

test('what is no longer looked at is forgotten once there is much of it', () => {
  const requests = Array.from({ length: 1000 }, (_, index) => index + 1);
  const state = requests.reduce((next, number) => answered(reduce(next, { type: 'choose', number })), after());
  expect(state.answers.size).toBeLessThanOrEqual(201);
  expect(compositionOf(state)).toBe(COMPOSITION);
  expect(overviewOf(state)).toBe(OVERVIEW);
});

test('an error is shown while its question is looked at, and only then', () => {
  const ledger = after({ type: 'tab', tab: 'ledger' });
  const { key } = wanted(ledger)[1]!;
  const state = reduce(ledger, { type: 'failed', key, error: 'There is no ledger.', generation: 0 });
  expect(trouble(state).error).toBe('There is no ledger.');
  expect(trouble(reduce(state, { type: 'tab', tab: 'raw' })).error).toBe('');
});

test('a column sorts upwards first, then downwards', () => {
  const once = after({ type: 'sort', table: 'files', column: 'path' });
  expect(once.sorts.files).toEqual({ column: 'path', isDescending: false });
  expect(reduce(once, { type: 'sort', table: 'files', column: 'path' }).sorts.files.isDescending).toBe(true);
  expect(once.sorts.variables).toEqual(INITIAL_STATE.sorts.variables);
});
