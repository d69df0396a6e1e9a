/**
 * What a request is made of, as a person reads it; in the order it is sent.
 */
import { ITexts } from '../texts';

/** What is sent first, first; colours and patterns go by these names. */
export const CATEGORIES: readonly string[] = [
  'system_prompt',
  'instructions',
  'skills',
  'tool_definitions',
  'summaries',
  'ledger',
  'user',
  'program',
  'retrieved',
  'previews',
  'images',
  'assistant',
  'thinking',
  'tool_calls',
  'tool_results'
];

/** Categories that may stand in one part: a part is of the one that it has most of. */
const TOGETHER: readonly (readonly string[])[] = [
  ['assistant', 'thinking', 'tool_calls'],
  ['summaries', 'ledger']
];

/** Whether a part of the category `part` may have something of `category`. */
export function holds(part: string, category: string): boolean {
  return part === category || togetherWith(category).includes(part);
}

/** The categories that may stand in one part with `category`, itself included; empty when it stands alone. */
export function togetherWith(category: string): readonly string[] {
  return TOGETHER.find(group => group.includes(category)) ?? [];
}

export function categoryName(category: string, texts: ITexts): string {
  switch (category) {
    case 'system_prompt':
      return texts.__('system prompt');
    case 'instructions':
      return texts.__('instructions');
    case 'skills':
      return texts.__('skills index');
    case 'tool_definitions':
      return texts.__('tool definitions');
    case 'summaries':
      return texts.__('summaries');
    case 'ledger':
      return texts.__('ledger');
    case 'user':
      return texts.__('your prompts');
    case 'program':
      return texts.__('notes of the program');
    case 'retrieved':
      return texts.__('found by hooks');
    case 'previews':
      return texts.__('previews');
    case 'images':
      return texts.__('images');
    case 'assistant':
      return texts.__('answers');
    case 'thinking':
      return texts.__('thinking');
    case 'tool_calls':
      return texts.__('tool calls');
    case 'tool_results':
      return texts.__('tool results');
    default:
      return category;
  }
}

/** Where `category` stands in the bar; one that is not known stands last. */
export function rank(category: string): number {
  const found = CATEGORIES.indexOf(category);
  return found < 0 ? CATEGORIES.length : found;
}
