/**
 * The timeline as a drawing: which of many points are drawn, and where.
 */
import { ITimelinePoint } from '../protocol';

export interface IFrame {
  readonly width: number;
  readonly height: number;
  /** The numbers of the first and the last request that have a place. */
  readonly first: number;
  readonly last: number;
  /** Tokens at the upper edge. */
  readonly top: number;
}

/**
 * At most about four of `points` for each of `buckets`, in order, so that no peak and no fall is lost.
 *
 * Of each bucket the first, the last, the lowest and the highest stay.
 */
export function downsample(points: readonly ITimelinePoint[], buckets: number): readonly ITimelinePoint[] {
  if (points.length <= 4 * buckets || buckets < 1) {
    return points;
  }
  const size = points.length / buckets;
  const kept: ITimelinePoint[] = [];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor(bucket * size);
    const to = bucket === buckets - 1 ? points.length : Math.floor((bucket + 1) * size);
    let low = from;
    let high = from;
    for (let index = from; index < to; index++) {
      low = points[index]!.tokens < points[low]!.tokens ? index : low;
      high = points[index]!.tokens > points[high]!.tokens ? index : high;
    }
    const indexes = [...new Set([from, low, high, to - 1])].sort((a, b) => a - b);
    kept.push(...indexes.map(index => points[index]!));
  }
  return kept;
}

/** At most one of `points` that pass `wanted` for each pixel, so that marks do not pile up. */
export function marks(
  points: readonly ITimelinePoint[],
  frame: IFrame,
  wanted: (point: ITimelinePoint) => boolean
): readonly ITimelinePoint[] {
  const places = new Map<number, ITimelinePoint>();
  for (const point of points) {
    if (wanted(point)) {
      places.set(Math.round(xOf(point.number, frame)), point);
    }
  }
  return [...places.values()];
}

export function xOf(number: number, { first, last, width }: IFrame): number {
  return last === first ? width / 2 : (width * (number - first)) / (last - first);
}

export function yOf(tokens: number, { top, height }: IFrame): number {
  return height * (1 - tokens / Math.max(1, top));
}

/** The number of the request that is drawn nearest to `x`. */
export function numberAt(x: number, { first, last, width }: IFrame): number {
  const share = width > 0 ? Math.min(1, Math.max(0, x / width)) : 0;
  return Math.round(first + share * (last - first));
}

/** The line through `points`, as the data of an SVG path; a single point is drawn as a short line. */
export function linePath(points: readonly ITimelinePoint[], frame: IFrame): string {
  const drawn = points.map(point => `${round(xOf(point.number, frame))},${round(yOf(point.tokens, frame))}`);
  return drawn.length ? `M${drawn.join('L')}` : '';
}

/** What lies below that line. */
export function areaPath(points: readonly ITimelinePoint[], frame: IFrame): string {
  const first = points[0];
  const last = points[points.length - 1];
  if (!first || !last) {
    return '';
  }
  const { height } = frame;
  return `${linePath(points, frame)}L${round(xOf(last.number, frame))},${height}L${round(xOf(first.number, frame))},${height}Z`;
}

/** A number of tokens that is easily read and not below `tokens`. */
export function niceTop(tokens: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(10, tokens)));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find(one => one * unit >= tokens) ?? 10;
  return step * unit;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
