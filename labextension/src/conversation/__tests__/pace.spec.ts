/**
 * How often what happens is seen.
 */
import { Pace } from '../pace';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('two hundred changes a second are seen twenty times, the last of them too', () => {
  const run = jest.fn();
  const pace = new Pace(run, 50);
  for (let time = 0; time < 1000; time += 5) {
    pace.ask();
    jest.advanceTimersByTime(5);
  }
  const seen = run.mock.calls.length;
  expect(seen).toBeGreaterThan(10);
  expect(seen).toBeLessThanOrEqual(20);
  jest.advanceTimersByTime(200);
  expect(run).toHaveBeenCalledTimes(seen + 1);
});

test('what comes after a while is seen in the next frame', () => {
  const run = jest.fn();
  const pace = new Pace(run, 50);
  pace.ask();
  jest.advanceTimersByTime(17);
  expect(run).toHaveBeenCalledTimes(1);
});

test('nothing is seen any more once it is disposed', () => {
  const run = jest.fn();
  const pace = new Pace(run, 50);
  pace.ask();
  pace.dispose();
  pace.ask();
  jest.advanceTimersByTime(1000);
  expect(run).not.toHaveBeenCalled();
});
