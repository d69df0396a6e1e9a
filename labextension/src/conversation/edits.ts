/**
 * What a call would change in a file, line by line, read from the arguments that a question shows.
 */
import { diffLines } from 'diff';

import { said } from '../kernel/said';
import { ITexts } from '../texts';

/** A line that stays, goes or comes, with its mark. */
export interface ILine {
  readonly kind: 'added' | 'kept' | 'removed';
  readonly text: string;
}

const KINDS: Readonly<Record<string, ILine['kind']>> = { '+': 'added', '-': 'removed' };

interface IEdit {
  readonly old_text: string;
  readonly new_text: string;
}

/** The arguments that are shown as they are, and each edit as lines; `null` when there are no edits in them. */
export function editsOf(given: string): { readonly rest: string; readonly edits: readonly (readonly ILine[])[] } | null {
  const found = /^edits: (\[.*\])$/m.exec(given);
  const edits = found && read(found[1]!);
  return edits && { rest: given.replace(found[0], () => '').trim(), edits: edits.map(lines) };
}

/** A preview as lines, of which the first may say what it is of. */
export function linesOf(preview: string, texts: ITexts): readonly ILine[] {
  const [first, ...others] = marked(preview);
  return [first!.kind === 'kept' ? { ...first!, text: said(first!.text, texts) } : first!, ...others];
}

/** A text in which what goes begins with `-` and what comes with `+`, as lines. */
function marked(text: string): readonly ILine[] {
  return text.split('\n').map(line => ({ kind: KINDS[line[0] ?? ''] ?? 'kept', text: line }));
}

function read(json: string): readonly IEdit[] | null {
  try {
    const edits = JSON.parse(json) as unknown;
    return Array.isArray(edits) && edits.length > 0 && edits.every(isEdit) ? edits : null;
  } catch {
    return null;
  }
}

/** Whether it is an edit and nothing else: what is not shown must not be there. */
function isEdit(value: unknown): value is IEdit {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return (
    fields.length === 2 &&
    fields.every(([name, text]) => (name === 'old_text' || name === 'new_text') && typeof text === 'string')
  );
}

function lines({ old_text, new_text }: IEdit): readonly ILine[] {
  // Both end in the middle of a line, which then is the same line only with its end.
  const end = old_text.endsWith('\n') || new_text.endsWith('\n') ? '' : '\n';
  return diffLines(old_text && old_text + end, new_text && new_text + end).flatMap(({ added, removed, value }) => {
    const mark = added ? '+ ' : removed ? '- ' : '  ';
    return marked(mark + value.replace(/\n$/, '').replace(/\n/g, `\n${mark}`));
  });
}
