/**
 * Going back through the prompts of the conversation, as a shell does with its lines. Everything here is pure.
 */
import { Segment } from '../protocol';

/** Where the person is in the prompts: at which, counted from the newest, and what they were writing. */
export interface IPlace {
  readonly back: number;
  readonly written: string;
}

export const AT_END: IPlace = { back: 0, written: '' };

/** A place, and the text that stands there. */
export interface IRecalled {
  readonly place: IPlace;
  readonly text: string;
}

/** The prompts in `segments`, oldest first, one that was repeated once. */
export function promptsIn(segments: readonly Segment[]): readonly string[] {
  const prompts = segments.flatMap(segment => (segment.type === 'prompt' && segment.text ? [segment.text] : []));
  return prompts.filter((prompt, place) => prompt !== prompts[place + 1]);
}

/** What a step back (1) or forth (-1) from `place` shows, or `null` where there is nothing further. */
export function recall(prompts: readonly string[], place: IPlace, text: string, step: 1 | -1): IRecalled | null {
  const back = place.back + step;
  if (back < 0 || back > prompts.length) {
    return null;
  }
  const written = place.back === 0 ? text : place.written;
  return { place: { back, written }, text: back === 0 ? written : prompts[prompts.length - back]! };
}

/** Whether the caret is on the line of `text` where a step in that direction leaves it. */
export function isAtEdge(text: string, caret: number, step: 1 | -1): boolean {
  return !(step === 1 ? text.slice(0, caret) : text.slice(caret)).includes('\n');
}
