/**
 * What the keys do where the person writes, and where a prompt goes.
 */
import { deliveryOf, IKey, sends } from '../keys';

const ENTER: IKey = {
  key: 'Enter',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13
};

test.each([
  ['Enter', {}, true, false],
  ['Shift+Enter', { shiftKey: true }, false, false],
  ['Ctrl+Enter', { ctrlKey: true }, true, true],
  ['Cmd+Enter', { metaKey: true }, true, true],
  ['Alt+Enter', { altKey: true }, true, true],
  ['Ctrl+Shift+Enter', { ctrlKey: true, shiftKey: true }, false, false],
  ['x', { key: 'x' }, false, false]
])('%s sends as set', (_, key, byEnter, byControl) => {
  expect(sends({ ...ENTER, ...key }, 'enter') !== null).toBe(byEnter);
  expect(sends({ ...ENTER, ...key }, 'ctrl-enter') !== null).toBe(byControl);
});

test.each([{ isComposing: true }, { keyCode: 229 }])('a key of an input method sends nothing: %p', key => {
  expect(sends({ ...ENTER, ...key }, 'enter')).toBeNull();
  expect(sends({ ...ENTER, ctrlKey: true, ...key }, 'ctrl-enter')).toBeNull();
});

test.each([
  [false, 'steer', false, 'prompt'],
  [false, 'steer', true, 'prompt'],
  [true, 'steer', false, 'steer'],
  [true, 'steer', true, 'follow_up'],
  [true, 'follow_up', false, 'follow_up'],
  [true, 'follow_up', true, 'steer']
] as const)('running %p, set to %s, other %p: it is a %s', (isRunning, whileRunning, isOther, delivery) => {
  expect(deliveryOf(isRunning, whileRunning, isOther)).toBe(delivery);
});
