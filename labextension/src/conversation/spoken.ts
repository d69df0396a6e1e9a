/**
 * What of a conversation is read aloud as it grows: each part once, when it is complete.
 */
import { fenceOf, split } from './blocks';
import { said } from '../kernel/said';
import { Segment } from '../protocol';
import { ITexts } from '../texts';

/** How far back something may still have changed. */
const MAX_OPEN_SEGMENTS = 20;

/** How many parts of each segment have been read, by the segment's id. */
export type Heard = ReadonlyMap<string, number>;

/** The parts of the newest of `segments` that are complete and not `heard`, and all that then is. */
export function unheard(
  segments: readonly Segment[],
  heard: Heard,
  texts: ITexts
): { readonly parts: string[]; readonly heard: Heard } {
  const next = new Map<string, number>();
  const parts: string[] = [];
  for (const segment of segments.slice(-MAX_OPEN_SEGMENTS)) {
    const complete = completeParts(segment, texts);
    parts.push(...complete.slice(heard.get(segment.id) ?? 0));
    next.set(segment.id, complete.length);
  }
  return { parts: parts.filter(part => part !== ''), heard: next };
}

function completeParts(segment: Segment, texts: ITexts): string[] {
  switch (segment.type) {
    case 'text': {
      const { blocks } = split(segment.text);
      // The last two may still change while the answer grows.
      return (segment.is_whole || segment.interrupted ? blocks : blocks.slice(0, -2)).map(spoken);
    }
    case 'notice':
      return [said(segment.text, texts)];
    default:
      return [];
  }
}

/** A block of markdown without its marks; code is not read. */
function spoken(block: string): string {
  return fenceOf(block) ? '' : block.replace(/[*_`#>|]+/g, ' ').replace(/\s+/g, ' ').trim();
}
