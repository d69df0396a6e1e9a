/**
 * The bar adds up to the window, whatever is in it.
 */
import { ICategoryShare, ISizes } from '../../protocol';
import { CATEGORIES } from '../categories';
import { barOf, sumsOf } from '../geometry';

const SIZES: ISizes = {
  number: null,
  model: 'offline',
  tokens: 0,
  context_window: 128_000,
  trigger: 100_000,
  free: 0,
  reserve: 16_000,
  is_estimate: true
};

/** A generator that gives the same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (1103515245 * state + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

function share(category: string, tokens: number): ICategoryShare {
  return { category, name: '', tokens, count: 1 };
}

test('stretches follow one another and add up to the whole exactly, whatever the sizes are', () => {
  const next = numbers(11);
  for (let round = 0; round < 2000; round++) {
    const sizes = {
      ...SIZES,
      context_window: next(200_000),
      trigger: next(250_000) - 1000,
      reserve: next(220_000) - 1000
    };
    const shares = Array.from({ length: next(20) }, () => share(CATEGORIES[next(15)]!, next(20_000)));
    const { stretches, whole, threshold } = barOf(sizes, shares);
    let end = 0;
    for (const stretch of stretches) {
      expect(stretch.start).toBe(end);
      expect(stretch.tokens).toBeGreaterThan(0);
      end += stretch.tokens;
    }
    const used = shares.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(end).toBe(stretches.length ? whole : 0);
    expect(whole).toBe(Math.max(sizes.context_window, used, 1));
    expect(threshold).toBeGreaterThanOrEqual(0);
    expect(threshold).toBeLessThanOrEqual(whole);
  }
});

test('what is free ends at the threshold, and the reserve at the end of the window', () => {
  const { stretches } = barOf(SIZES, [share('tool_results', 7000), share('system_prompt', 2000)]);
  expect(stretches.map(({ name, start, tokens }) => [name, start, tokens])).toEqual([
    ['system_prompt', 0, 2000],
    ['tool_results', 2000, 7000],
    ['free', 9000, 91_000],
    ['spare', 100_000, 12_000],
    ['reserve', 112_000, 16_000]
  ]);
});

test('a request that is larger than the window fills the bar alone', () => {
  const { stretches, whole } = barOf(SIZES, [share('user', 150_000)]);
  expect([stretches.length, whole]).toEqual([1, 150_000]);
});

test('names of one category are one sum, and a category that is not known stands last', () => {
  const sums = sumsOf([share('new_kind', 5), share('tool_results', 3), share('tool_results', 4), share('user', 0)]);
  expect(sums).toEqual([
    { category: 'tool_results', tokens: 7, count: 2 },
    { category: 'new_kind', tokens: 5, count: 1 }
  ]);
});
