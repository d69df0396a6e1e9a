/**
 * The rows of a conversation: its segments, where many calls in a row are one row, and how high each may be.
 */
import { ICallSegment, IThinkingSegment, Segment } from '../protocol';

/** What stands in a row of its own: a segment, or the calls between two answers. */
export type Row =
  | { readonly kind: 'segment'; readonly key: string; readonly segment: Segment }
  | { readonly kind: 'calls'; readonly key: string; readonly steps: readonly Step[] };

/** What folds with its neighbours. */
export type Step = ICallSegment | IThinkingSegment;

/** So many calls stay open; more of them, once the work has gone on, become one line. */
const MAX_OPEN_CALLS = 3;

/** The rows of `segments`; a row of `before` is given again where it is the same. */
export function rowsOf(segments: readonly Segment[], before: readonly Row[] = []): readonly Row[] {
  const known = new Map(before.map(row => [row.key, row]));
  const rows: Row[] = [];
  for (let place = 0; place < segments.length; ) {
    const end = endOfSteps(segments, place);
    const steps = segments.slice(place, end) as Step[];
    if (hasGoneOn(segments[end]) && steps.filter(step => step.type === 'call').length > MAX_OPEN_CALLS) {
      rows.push(sameOr(known, { kind: 'calls', key: `calls ${steps[0]!.id}`, steps }));
      place = end;
    } else {
      const until = Math.max(end, place + 1);
      for (const segment of segments.slice(place, until)) {
        rows.push(sameOr(known, { kind: 'segment', key: segment.id, segment }));
      }
      place = until;
    }
  }
  return rows;
}

/** About how high `row` is in pixels where a line has `columns` characters. */
export function heightOf(row: Row, columns: number): number {
  if (row.kind === 'calls') {
    return 36;
  }
  const { segment } = row;
  switch (segment.type) {
    case 'prompt':
      return 44 + 20 * lines(segment.text, columns) + 100 * segment.images.length;
    case 'text':
      return 16 + 21 * lines(segment.text, columns);
    case 'call':
      return 60 + Math.min(160, 17 * lines(segment.given, columns)) + outputHeight(segment, columns);
    case 'notice':
      return 16 + 18 * lines(segment.text, columns);
    default:
      return 36;
  }
}

function outputHeight({ output, images }: ICallSegment, columns: number): number {
  const text = output ? Math.min(240, 8 + 17 * lines(output, columns)) : 0;
  return text + 240 * images.length;
}

function lines(text: string, columns: number): number {
  return text.split('\n').reduce((count, line) => count + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** Where the finished steps that begin at `place` end; a call with pictures is not folded away. */
function endOfSteps(segments: readonly Segment[], place: number): number {
  while (place < segments.length && folds(segments[place]!)) {
    place++;
  }
  return place;
}

/** Whether the work that led to `next` is over. */
function hasGoneOn(next: Segment | undefined): boolean {
  return next !== undefined && !(next.type === 'call' && next.state === 'running') && next.type !== 'thinking';
}

function folds(segment: Segment): boolean {
  return segment.type === 'call'
    ? segment.state !== 'running' && segment.images.length === 0
    : segment.type === 'thinking' && segment.is_whole;
}

function sameOr(known: ReadonlyMap<string, Row>, row: Row): Row {
  const old = known.get(row.key);
  return old && isSame(old, row) ? old : row;
}

function isSame(one: Row, other: Row): boolean {
  if (one.kind === 'calls' && other.kind === 'calls') {
    return one.steps.length === other.steps.length && one.steps.every((step, place) => step === other.steps[place]);
  }
  return one.kind === 'segment' && other.kind === 'segment' && one.segment === other.segment;
}
