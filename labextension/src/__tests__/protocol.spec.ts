/**
 * The examples of every message that the kernel's tests read too.
 */
import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { parseMessage } from '../kernel/message';
import { KERNEL_MESSAGE_TYPES } from '../protocol';
import { INITIAL_STATE, reduce } from '../conversation/reduce';

const FOLDER = join(__dirname, '../../../tests/fixtures/protocol');
const EXAMPLES = readdirSync(FOLDER)
  .filter(name => name.startsWith('kernel_'))
  .map(name => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as { type: string });

test('every message of the kernel has an example', () => {
  expect(EXAMPLES.map(example => example.type).sort()).toEqual([...KERNEL_MESSAGE_TYPES].sort());
});

test.each(EXAMPLES)('a message of type $type is read and reduced', example => {
  const message = parseMessage(example);
  expect(message).toEqual(example);
  expect(reduce(INITIAL_STATE, message!)).toHaveProperty('connection');
});

test.each([null, 'hello', 7, [], {}, { type: 'mood' }, { type: 'toString' }])('%p is dropped', data => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  expect(parseMessage(data)).toBeNull();
  warn.mockRestore();
});

test('an unknown type is warned of once, however often it comes', () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (let count = 0; count < 3; count++) {
    parseMessage({ type: 'weather' });
  }
  expect(warn).toHaveBeenCalledTimes(1);
  warn.mockRestore();
});
