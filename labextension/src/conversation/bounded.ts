/**
 * Segments no longer than a page draws in good time, whatever a kernel sends.
 */
import { Segment } from '../protocol';

/** The kernel itself sends less than this. */
const MAX_CHARS = 200_000;

/** `segment` with its texts shortened that are longer; of an output, the end is what counts. */
export function bounded(segment: Segment): Segment {
  switch (segment.type) {
    case 'call':
      return isLong(segment.given) || isLong(segment.output)
        ? { ...segment, given: beginning(segment.given), output: segment.output.slice(-MAX_CHARS) }
        : segment;
    case 'compaction':
      return isLong(segment.summary) ? { ...segment, summary: beginning(segment.summary) } : segment;
    default:
      return isLong(segment.text) ? { ...segment, text: beginning(segment.text) } : segment;
  }
}

function isLong(text: string): boolean {
  return text.length > MAX_CHARS;
}

function beginning(text: string): string {
  return isLong(text) ? `${text.slice(0, MAX_CHARS)}\n…` : text;
}
