/**
 * What messages make of the panel's copy: events in any portions give what a snapshot gives.
 */
import { readFileSync } from 'fs';
import { join } from 'path';

import {
  ICallSegment,
  IEarlierReply,
  IEventsMessage,
  ISnapshotMessage,
  IStatusEvent,
  KernelMessage,
  PanelEvent,
  Segment
} from '../../protocol';
import { INITIAL_STATE, IState, lastSession, reduce, withConnection, withEarlier } from '../reduce';

const FOLDER = join(__dirname, '../../../../tests/fixtures/protocol');

function example<T>(name: string): T {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as T;
}

const SNAPSHOT = example<ISnapshotMessage>('kernel_snapshot');
const STATUS: IStatusEvent = SNAPSHOT.status;

function events(...list: PanelEvent[]): IEventsMessage {
  return { type: 'events', events: list };
}

/** Numbers below a bound, the same in every run. */
function chance(seed: number): (bound: number) => number {
  let last = seed;
  return bound => {
    last = (Math.imul(last, 1664525) + 1013904223) >>> 0;
    return Math.floor((last / 2 ** 32) * bound);
  };
}

function segmentOf(kind: number, id: string): Segment {
  switch (kind) {
    case 0:
      return { type: 'text', id, text: '', is_whole: false, interrupted: '' };
    case 1:
      return { type: 'thinking', id, text: '', is_whole: false };
    case 2:
      return { ...(SNAPSHOT.segments.find(one => one.type === 'call') as ICallSegment), id, state: 'running' };
    default:
      return { type: 'notice', id, text: `notice ${id}`, is_warning: false };
  }
}

/** Events of a kernel, and the segments that it then has itself. */
function story(seed: number): { told: PanelEvent[]; segments: Segment[] } {
  const below = chance(seed);
  const told: PanelEvent[] = [];
  const segments: Segment[] = [];
  for (let step = 0; step < 60; step++) {
    const place = segments.length - 1 - below(Math.min(3, segments.length) || 1);
    const segment = segments[place];
    if (!segment || below(4) === 0) {
      const begun = segmentOf(below(4), `s${segments.length + 1}`);
      segments.push(begun);
      told.push({ type: 'segment', segment: begun });
    } else if (segment.type === 'text' || segment.type === 'thinking') {
      const text = `${step} é 🙂\n`.slice(0, 1 + below(7));
      segments[place] = { ...segment, text: segment.text + text };
      told.push({ type: 'text_delta', segment_id: segment.id, text });
    } else if (segment.type === 'call') {
      const grown = { output: `line ${step}`, hidden_lines: step };
      segments[place] = { ...segment, ...grown };
      told.push({ type: 'call_output', segment_id: segment.id, ...grown });
    } else {
      told.push({ type: 'segment', segment: (segments[place] = { ...segment, text: `${step}` } as Segment) });
    }
  }
  return { told, segments };
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('events in any portions give what the snapshot gives (%i)', seed => {
  const below = chance(seed * 77);
  const { told, segments } = story(seed);
  const whole = reduce(INITIAL_STATE, { type: 'snapshot', status: STATUS, segments, is_shortened: false });
  let state: IState = reduce(INITIAL_STATE, { type: 'snapshot', status: STATUS, segments: [], is_shortened: false });
  for (let from = 0; from < told.length; ) {
    const to = from + 1 + below(12);
    state = reduce(state, events(...told.slice(from, to)));
    from = to;
  }
  expect(state).toEqual(whole);
});

test('a message changes no state that was there before', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) {
      Object.values(value).forEach(freeze);
    }
    return Object.freeze(value);
  };
  const messages = ['snapshot', 'events', 'ask', 'hello', 'withdrawn', 'error'].map(name =>
    example<KernelMessage>(`kernel_${name}`)
  );
  let state = freeze(INITIAL_STATE);
  for (const message of [...messages, ...messages]) {
    state = freeze(reduce(state, freeze(message)));
  }
  expect(state.segments.length).toBeGreaterThan(0);
});

test('the examples in order give the conversation', () => {
  const state = reduce(reduce(INITIAL_STATE, SNAPSHOT), example<IEventsMessage>('kernel_events'));
  expect(state.segments.map(segment => segment.type)).toEqual([
    'prompt',
    'text',
    'text',
    'call',
    'compaction',
    'notice'
  ]);
  expect(state.segments[1]).toHaveProperty('text', 'I will look. Now.');
  expect(state.status?.is_running).toBe(false);
});

test('thinking grows as an answer does', () => {
  const told = events({ type: 'text_delta', segment_id: 's2', text: ' Or not.' });
  expect(reduce(reduce(INITIAL_STATE, SNAPSHOT), told).segments[1]).toHaveProperty('text', 'A count is enough. Or not.');
});

test('what is told of a segment that is not here, or is of another kind, changes nothing', () => {
  const state = reduce(INITIAL_STATE, SNAPSHOT);
  const told = events(
    { type: 'text_delta', segment_id: 's99', text: 'x' },
    { type: 'text_delta', segment_id: 's1', text: 'x' },
    { type: 'call_output', segment_id: 's3', output: 'x', hidden_lines: 1 },
    { type: 'from_the_future' } as unknown as PanelEvent
  );
  expect(reduce(state, told).segments).toBe(state.segments);
});

test('older segments stand in front, once', () => {
  const reply = example<IEarlierReply>('kernel_earlier');
  const newest = { ...SNAPSHOT, segments: SNAPSHOT.segments.slice(2), is_shortened: true };
  const state = withEarlier(reduce(INITIAL_STATE, newest), reply);
  expect(state.segments).toEqual(SNAPSHOT.segments);
  expect(state.isShortened).toBe(true);
  expect(withEarlier(state, { ...reply, is_shortened: false })).toEqual({ ...state, isShortened: false });
});

test('what was known stays to be read while the kernel goes on without a connection', () => {
  const state = reduce(INITIAL_STATE, SNAPSHOT);
  for (const kind of ['ready', 'connecting', 'lost'] as const) {
    expect(withConnection(state, { kind })).toEqual({ ...state, connection: { kind } });
  }
});

test('what a kernel was at when it went is broken off', () => {
  const { told } = story(1);
  const running = reduce(reduce(INITIAL_STATE, SNAPSHOT), events(...told, { ...STATUS, is_running: true }));
  for (const kind of ['restarting', 'dead', 'closed'] as const) {
    const { segments, status, asks } = withConnection(running, { kind });
    expect(segments.map(segment => segment.id)).toEqual(running.segments.map(segment => segment.id));
    expect(status).toMatchObject({ is_running: false, queued: [] });
    expect(asks).toEqual([]);
    for (const segment of segments) {
      expect(segment.type !== 'text' || segment.is_whole || segment.interrupted !== '').toBe(true);
      expect(segment.type === 'call' && segment.state === 'running').toBe(false);
    }
  }
});

test('of a kernel that cannot serve nothing is kept', () => {
  const state = reduce(INITIAL_STATE, SNAPSHOT);
  expect(withConnection(state, { kind: 'not-installed' })).toEqual({ ...INITIAL_STATE, connection: { kind: 'not-installed' } });
});

test('a text of any length is kept within bounds, however it comes', () => {
  const long = 'x'.repeat(5_000_000);
  const begun = segmentOf(0, 'long');
  const call = { ...segmentOf(2, 'call'), given: long } as Segment;
  let state = reduce(INITIAL_STATE, events({ type: 'segment', segment: begun }, { type: 'segment', segment: call }));
  for (let count = 0; count < 3; count++) {
    const grown = { type: 'text_delta', segment_id: 'long', text: long } as const;
    const output = { type: 'call_output', segment_id: 'call', output: `${long}end`, hidden_lines: 0 } as const;
    state = reduce(state, events(grown, output));
    expect(JSON.stringify(state.segments).length).toBeLessThan(700_000);
  }
  expect((state.segments[1] as ICallSegment).output).toMatch(/end$/);
});

test('a question is shown once and is gone when it is withdrawn', () => {
  const ask = example<Extract<KernelMessage, { type: 'ask' }>>('kernel_ask');
  const asked = reduce(reduce(INITIAL_STATE, ask), ask);
  expect(asked.asks).toEqual([ask]);
  expect(reduce(asked, { type: 'withdrawn', request_id: ask.request_id }).asks).toEqual([]);
  expect(reduce(asked, example('kernel_hello')).asks).toEqual([]);
});

it('offers the last session of the notebook where no other has begun', () => {
  const status = { ...STATUS, is_running: false, last_session: 'before' };
  const state: IState = { ...INITIAL_STATE, status };
  expect(lastSession(state)).toBe('before');
  expect(lastSession({ ...state, status: { ...status, is_running: true } })).toBe('');
  expect(lastSession({ ...state, segments: SNAPSHOT.segments })).toBe('');
  expect(lastSession(INITIAL_STATE)).toBe('');
});
