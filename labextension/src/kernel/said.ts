/**
 * What the kernel says, in the reader's language: its sentences are told by their forms.
 *
 * A sentence of no known form, of a library or of a newer kernel, stays as it is.
 */
import { ITexts } from '../texts';
import { NOBODY, UNREADABLE } from './questions';
import { SENTENCES } from './sentences';

/** A form of so few letters could be the end of anything: it begins with a number. */
const FEW_LETTERS = 7;

/** What is written in these characters stands without a blank before it. */
const UNSPACED = /^[\u2e80-\uffef]/;

/** What is longer is no sentence. */
const MAX_CHARS = 4000;

const MAX_KNOWN = 500;

/** `text`, a sentence or one on each line, as the person reads it. */
export function said(text: string, texts: ITexts): string {
  return text
    .split('\n')
    .map(line => known(line, texts))
    .join('\n');
}

/** `text`, which others wrote, with the line below it in which the kernel says that it cut the rest off. */
export function saidAtEnd(text: string, texts: ITexts): string {
  const last = text.lastIndexOf('\n') + 1;
  return text.startsWith('… (', last) ? text.slice(0, last) + known(text.slice(last), texts) : text;
}

interface IForm {
  readonly text: string;
  /** What stands before, between and behind what is filled in. */
  readonly pieces: readonly string[];
  /** True when only a number may stand at its beginning. */
  readonly isCounted: boolean;
}

/** The more of a form is fixed, the sooner it is tried. */
const FORMS: readonly IForm[] = SENTENCES.map(formOf).sort((a, b) => fixed(b) - fixed(a));

/** What has been said already, by language. */
const KNOWN = new WeakMap<ITexts, Map<string, string>>();

/** What the panel itself says in the kernel's place. */
function own(line: string, texts: ITexts): string | null {
  switch (line) {
    case NOBODY:
      return texts.__('The kernel is not connected.');
    case UNREADABLE:
      return texts.__('The answer of the kernel could not be read.');
    default:
      return null;
  }
}

function known(line: string, texts: ITexts): string {
  const found = KNOWN.get(texts) ?? new Map<string, string>();
  KNOWN.set(texts, found);
  let told = found.get(line);
  if (told === undefined) {
    told = own(line, texts) ?? inWords(line, texts);
    if (found.size >= MAX_KNOWN) {
      found.clear();
    }
    found.set(line, told);
  }
  return told;
}

/** `text` by its form, with the blanks around it; else sentence by sentence. */
function inWords(text: string, texts: ITexts): string {
  const sentence = text.trim();
  if (!sentence || text.length > MAX_CHARS) {
    return text;
  }
  const told = byForm(sentence, texts) ?? bySentence(sentence, texts);
  return told === null ? text : text.replace(/^(\s*)[^]*?(\s*)$/, (_, before, after) => spaced(before, told) + after);
}

function byForm(sentence: string, texts: ITexts): string | null {
  for (const form of FORMS) {
    const values = valuesIn(sentence, form);
    if (values) {
      return texts.__(form.text, ...values.map(value => inWords(value, texts)));
    }
  }
  return null;
}

/** The first sentences that have a form together, and what follows them. */
function bySentence(text: string, texts: ITexts): string | null {
  for (const end of text.matchAll(/[.?!] /g)) {
    const first = byForm(text.slice(0, end.index + 1), texts);
    if (first !== null) {
      return first + spaced(' ', inWords(text.slice(end.index + 2), texts));
    }
  }
  return null;
}

function spaced(blank: string, text: string): string {
  return UNSPACED.test(text) ? text : blank + text;
}

function formOf(text: string): IForm {
  const pieces = text.split(/%\d/);
  const letters = pieces.join('').replace(/[^a-z]/gi, '').length;
  return { text, pieces, isCounted: pieces[0] === '' && letters < FEW_LETTERS };
}

function fixed({ pieces }: IForm): number {
  return pieces.join('').length;
}

/** What is filled into `form` to give `sentence`, in its order; `null` when nothing does. */
function valuesIn(sentence: string, { pieces, isCounted }: IForm): readonly string[] | null {
  const first = pieces[0]!;
  const last = pieces[pieces.length - 1]!;
  if (pieces.length === 1) {
    return sentence === first ? [] : null;
  }
  if (!sentence.startsWith(first) || !sentence.endsWith(last)) {
    return null;
  }
  const values: string[] = [];
  let place = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = sentence.indexOf(piece, place);
    if (found < 0) {
      return null;
    }
    values.push(sentence.slice(place, found));
    place = found + piece.length;
  }
  values.push(sentence.slice(place, sentence.length - last.length));
  const isWhole = place + last.length <= sentence.length;
  return isWhole && (!isCounted || /^[\d.,]+$/.test(values[0]!)) ? values : null;
}
