/**
 * Reading odd messages: what is left of them has the form that the panel's code counts on.
 */
import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { INITIAL_STATE, reduce } from '../../conversation/reduce';
import { parseMessage, withoutColours } from '../message';

const FOLDER = join(__dirname, '../../../../tests/fixtures/protocol');
const EXAMPLES = readdirSync(FOLDER)
  .filter(name => name.startsWith('kernel_'))
  .map(name => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as { type: string });
const ODD: readonly unknown[] = [undefined, null, true, 7, 1e300, Infinity, 'text', [], [null], {}, { type: 'strange' }];

let warn: jest.SpyInstance;

beforeEach(() => {
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterEach(() => warn.mockRestore());

/** `value` with one thing in it, wherever, in place of another; each of all. */
function* changed(value: unknown, other: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const key of Object.keys(value)) {
    const copy = (part: unknown): unknown => Object.assign(Array.isArray(value) ? [] : {}, value, { [key]: part });
    yield copy(other);
    for (const part of changed((value as Record<string, unknown>)[key], other)) {
      yield copy(part);
    }
  }
}

test('a hello of another version tells which, whatever else it has, and is warned of once', () => {
  const hello = { type: 'hello', protocol_version: 98, version: '9.0.0', modes: 'all' };
  expect(parseMessage(hello)).toEqual({ ...hello, nonce: '', modes: [] });
  expect(parseMessage(hello)).not.toBeNull();
  expect(warn.mock.calls.map(([text]) => text as string)).toEqual([
    'pi-notebook: version 98 of the protocol is not known: what the kernel says in it is left alone'
  ]);
});

test.each(EXAMPLES)('a message of type $type with anything odd in it is dropped, or as good as any', example => {
  for (const other of ODD) {
    for (const odd of changed(example, other)) {
      const message = parseMessage(odd);
      if (message) {
        expect(parseMessage(message)).toEqual(message);
        expect(reduce(reduce(INITIAL_STATE, message), message)).toHaveProperty('connection');
      }
    }
  }
});

test('of a list only the items are left out that are not known', () => {
  const known = { type: 'notice', id: 'n', text: 'known', is_warning: false };
  const hologram = { type: 'hologram', id: 'h' };
  const events = [
    { type: 'segment', segment: hologram },
    { type: 'segment', segment: known },
    { type: 'earthquake' },
    { type: 'segment', segment: { ...known, text: null } }
  ];
  expect(parseMessage({ type: 'events', events })).toEqual({ type: 'events', events: [events[1]] });
});

test('fields that are not known are no fault', () => {
  const message = { type: 'error', text: 'Not so.', colour: 'red' };
  expect(parseMessage(message)).toBe(message);
  expect(warn).not.toHaveBeenCalled();
});

test('colours for a terminal are left out, and whatever else it can be told stays to be seen', () => {
  expect(withoutColours('\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mtrue\x1b[m')).toBe('red true');
  expect(withoutColours('\x1b[2J\x1b]8;;x')).toBe('\x1b[2J\x1b]8;;x');
});
