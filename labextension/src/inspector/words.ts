/**
 * The words of the wire as a person reads them: what happened to things, why, and by whom.
 */
import { ICompactionRow, IFileRow, IVariableRow } from '../protocol';
import { ITexts } from '../texts';

/** What is the case with a variable. */
export function stateName(state: IVariableRow['state'], texts: ITexts): string {
  switch (state) {
    case 'alive':
      return texts.__('alive');
    case 'lost':
      return texts.__('lost');
    case 'deleted':
      return texts.__('deleted');
  }
}

/** What was done to a file last. */
export function deedOf({ last, renamed_to }: IFileRow, texts: ITexts): string {
  if (renamed_to) {
    return texts.__('renamed to %1', renamed_to);
  }
  switch (last) {
    case 'read':
      return texts.__('read');
    case 'written':
      return texts.__('written');
    case 'modified':
      return texts.__('modified');
    case 'deleted':
      return texts.__('deleted');
  }
}

/** Who did it. */
export function whoName(who: IVariableRow['by'], texts: ITexts): string {
  switch (who) {
    case 'agent':
      return texts.__('agent');
    case 'you':
      return texts.__('you');
    default:
      return '';
  }
}

/** Who hid or shortened an entry, and the note they left. */
export function editorName(reason: string, texts: ITexts): string {
  const [who, ...note] = reason.split(': ');
  const name = who === 'model' ? texts.__('agent') : who === 'you' ? texts.__('you') : who;
  return [name, ...note].join(': ');
}

/** Who wrote the summary of a compaction; empty where nobody told. */
export function writerName({ by, model }: ICompactionRow, texts: ITexts): string {
  switch (by) {
    case 'model':
      return model;
    case 'program':
      return texts.__('the program, as a list');
    case 'hook':
      return texts.__('a hook');
    default:
      return '';
  }
}

/** Why the context was compacted. */
export function occasionName(reason: string, texts: ITexts): string {
  switch (reason) {
    case 'threshold':
      return texts.__('threshold');
    case 'overflow':
      return texts.__('context was full');
    case 'manual':
      return texts.__('asked for');
    default:
      return reason;
  }
}
