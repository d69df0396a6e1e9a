/**
 * What the word before the caret may become, while the person writes it.
 *
 * The kernel knows variables, files, skills and templates, the notebook its cells; where a word begins
 * that either knows is looked at here.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { ICompletion } from '../protocol';

/** How long the person pauses before the kernel is asked. */
const PAUSE_MS = 100;

const MAX_ITEMS = 50;

// A mention, as the kernel finds them: no `@` in an address, and a quoted name may have spaces.
const MENTION = /(?:^|[^\w@./:+-])(@(?:"[^"\n]*|[^\s"@]*))$/u;
const TEMPLATE = /^\/[^\s/]*$/u;

/** What is proposed; a cell that has not run has no name and is attached. */
export interface IProposal {
  readonly text: string;
  readonly kind: ICompletion['kind'] | 'cell';
  readonly detail: string;
  readonly cellId?: string;
}

/** What is proposed for the text from `start` to `caret`. */
export interface IProposals {
  readonly start: number;
  readonly caret: number;
  readonly items: readonly IProposal[];
  readonly selected: number;
}

/** A cell as far as it can be named. */
export interface INamedCell {
  readonly cellId: string;
  readonly index: number;
  readonly executionCount: number | null;
  readonly source: string;
}

/** Text with a caret in it. */
export interface ICaretText {
  readonly text: string;
  readonly caret: number;
}

/** Where the word begins that ends `text` and may be completed, or `null` when there is none. */
export function wordStart(text: string): number | null {
  if (TEMPLATE.test(text)) {
    return 0;
  }
  const mention = MENTION.exec(text);
  return mention ? text.length - mention[1]!.length : null;
}

/** The cells that `word`, which begins with `@`, may mean: by `In[3]`, or by `cell` and a number. */
export function cellProposals(cells: readonly INamedCell[], word: string): readonly IProposal[] {
  if (!word.startsWith('@')) {
    return [];
  }
  const sought = word.slice(1).toLowerCase();
  const names = (cell: INamedCell): readonly string[] => [
    ...(cell.executionCount === null ? [] : [`in[${cell.executionCount}]`]),
    `cell${cell.index + 1}`,
    `cell:${cell.index + 1}`
  ];
  return cells
    .filter(cell => cell.source.trim() && names(cell).some(name => name.startsWith(sought)))
    .map(cell => ({
      text: cell.executionCount === null ? `@cell:${cell.index + 1}` : `@In[${cell.executionCount}]`,
      kind: 'cell' as const,
      detail: cell.source.trim().split('\n')[0]!,
      ...(cell.executionCount === null ? { cellId: cell.cellId } : {})
    }));
}

/** `text` with the word of `proposals` become `item`. */
export function completed(text: string, { start, caret }: IProposals, item: IProposal): ICaretText {
  const before = text.slice(0, start);
  const after = text.slice(caret);
  if (item.cellId !== undefined) {
    return { text: before + after, caret: start };
  }
  // A folder is gone into.
  const space = item.text.endsWith('/') || /^\s/.test(after) ? '' : ' ';
  return { text: before + item.text + space + after, caret: start + item.text.length + space.length };
}

/** Whether what is selected of `proposals` stands in `text` already, whole: Enter is not meant for it then. */
export function isWritten(text: string, { start, caret, items, selected }: IProposals): boolean {
  const item = items[selected];
  return item?.text === text.slice(start, caret) && item.cellId === undefined && !item.text.endsWith('/');
}

/** Asks what the word that ends the text may become. */
export type AskCompletions = (
  text: string
) => Promise<{ readonly start: number; readonly items: readonly ICompletion[] }>;

/**
 * The proposals for one text box. An answer to an older question is never shown.
 */
export class Completions implements IDisposable {
  constructor(ask: AskCompletions, cells: () => readonly INamedCell[]) {
    this._ask = ask;
    this._cells = cells;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** `null` while nothing is proposed. */
  get shown(): IProposals | null {
    return this._shown;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this.close();
    Signal.clearData(this);
  }

  /** The text has changed, or the caret has moved. */
  update(text: string, caret: number): void {
    const question = ++this._question;
    window.clearTimeout(this._timer);
    const before = text.slice(0, caret);
    const start = wordStart(before);
    if (start === null) {
      this._show(null);
      return;
    }
    this._timer = window.setTimeout(() => {
      this._propose(question, before, start).catch((reason: unknown) => {
        // The kernel is lost, or too old to know: what the notebook knows is shown all the same.
        console.debug('pi-notebook: no completions', reason);
        this._answer(question, before, start, []);
      });
    }, PAUSE_MS);
  }

  /** Choose the next (1) or the one before (-1); past an end it goes on at the other. */
  move(step: number): void {
    if (this._shown) {
      const { items, selected } = this._shown;
      this._show({ ...this._shown, selected: (selected + step + items.length) % items.length });
    }
  }

  close(): void {
    this._question++;
    window.clearTimeout(this._timer);
    this._show(null);
  }

  private async _propose(question: number, before: string, start: number): Promise<void> {
    const answer = await this._ask(before);
    this._answer(question, before, answer.items.length ? answer.start : start, answer.items);
  }

  private _answer(question: number, before: string, start: number, known: readonly ICompletion[]): void {
    if (question !== this._question) {
      return;
    }
    const cells = cellProposals(this._cells(), before.slice(start));
    const items = [...known, ...cells].slice(0, MAX_ITEMS);
    this._show(items.length ? { start, caret: before.length, items, selected: 0 } : null);
  }

  private _show(shown: IProposals | null): void {
    if (shown !== this._shown) {
      this._shown = shown;
      this._changed.emit();
    }
  }

  private readonly _ask: AskCompletions;
  private readonly _cells: () => readonly INamedCell[];
  private readonly _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _question = 0;
  private _shown: IProposals | null = null;
  private _timer = 0;
}
