/**
 * The bar of a request: the window cut into stretches, to scale.
 */
import { ICategoryShare, ISizes } from '../protocol';
import { rank } from './categories';

export interface IStretch {
  /** A category, or `free`, `spare` or `reserve`. */
  readonly name: string;
  readonly kind: 'category' | 'free' | 'spare' | 'reserve';
  readonly tokens: number;
  /** Where it begins, in tokens. */
  readonly start: number;
}

export interface IBar {
  /** They follow one another and add up to `whole`. */
  readonly stretches: readonly IStretch[];
  /** The window, or what is in it where that is more. */
  readonly whole: number;
  /** Where compaction begins, in tokens from the left. */
  readonly threshold: number;
}

/** One category of a request, all its names together. */
export interface ICategorySum {
  readonly category: string;
  readonly tokens: number;
  readonly count: number;
}

/** The categories that have tokens, as they stand in the bar. */
export function sumsOf(shares: readonly ICategoryShare[]): readonly ICategorySum[] {
  const sums = new Map<string, ICategorySum>();
  for (const { category, tokens, count } of shares) {
    const known = sums.get(category);
    sums.set(category, {
      category,
      tokens: (known?.tokens ?? 0) + tokens,
      count: (known?.count ?? 0) + count
    });
  }
  return [...sums.values()].filter(sum => sum.tokens > 0).sort((a, b) => rank(a.category) - rank(b.category));
}

/**
 * The bar of a request.
 *
 * What is free goes up to the threshold; the reserve is at the end of the window, as far as it is not
 * taken; what lies between the two is spare.
 */
export function barOf(sizes: ISizes, shares: readonly ICategoryShare[]): IBar {
  const sums = sumsOf(shares);
  const used = sums.reduce((sum, one) => sum + one.tokens, 0);
  const whole = Math.max(sizes.context_window, used, 1);
  const threshold = Math.min(Math.max(0, sizes.trigger), whole);
  const reserve = Math.max(used, threshold, whole - Math.max(0, sizes.reserve));
  const ends: readonly [string, IStretch['kind'], number][] = [
    ...sums.map((sum, index): [string, 'category', number] => [
      sum.category,
      'category',
      sums.slice(0, index + 1).reduce((end, one) => end + one.tokens, 0)
    ]),
    ['free', 'free', Math.max(used, threshold)],
    ['spare', 'spare', reserve],
    ['reserve', 'reserve', whole]
  ];
  const stretches = ends
    .map(([name, kind, end], index): IStretch => {
      const start = index ? ends[index - 1]![2] : 0;
      return { name, kind, start, tokens: end - start };
    })
    .filter(stretch => stretch.tokens > 0);
  return { stretches, whole, threshold };
}
