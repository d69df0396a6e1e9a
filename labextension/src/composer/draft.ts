/**
 * What the person is writing: the text, and the cells and pictures that go with it.
 */
import { UUID } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { ICaretText } from './completions';
import { Drafts } from './drafts';
import { AT_END, IPlace, recall } from './history';
import { wellFormed } from '../kernel/message';
import { MAX_PICTURES, pictureOf } from './pictures';
import { IAttachedCell, IImage } from '../protocol';

/** A picture of the draft. */
export interface IPicture extends IImage {
  readonly id: string;
}

/** What is sent as one prompt. */
export interface IPromptContent {
  readonly text: string;
  readonly cells: readonly IAttachedCell[];
  readonly images: readonly IPicture[];
}

/**
 * The draft of one panel. Its text is kept by session, so that it is there after a reload.
 */
export class Draft implements IDisposable {
  constructor(drafts: Drafts) {
    this._drafts = drafts;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get text(): string {
    return this._text;
  }

  /** Where the caret goes now that the text was put in; `null` when it is the person's affair. */
  get caret(): number | null {
    return this._caret;
  }

  get cells(): readonly IAttachedCell[] {
    return this._cells;
  }

  get images(): readonly IPicture[] {
    return this._images;
  }

  /** Why the last picture is not among them; empty when it is. */
  get problem(): '' | 'unreadable' | 'too many' {
    return this._problem;
  }

  /** Whether there is nothing to say; a cell alone says nothing. */
  get isEmpty(): boolean {
    return !this._text.trim() && !this._images.length;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  /** Another session is in front: what is being written goes along, else what was left there comes back. */
  enter(session: string): void {
    if (session === this._session) {
      return;
    }
    if (this._text && this._session) {
      this._drafts.keep(this._session, '');
    }
    this._session = session;
    this._put(this._text || this._drafts.of(session), null);
  }

  /** The person has changed the text. */
  write(text: string): void {
    this._place = AT_END;
    this._put(text, null);
  }

  /** Put a text in whose caret is known. */
  complete({ text, caret }: ICaretText): void {
    this._place = AT_END;
    this._put(text, caret);
  }

  /** Show an older prompt (1) or a newer one (-1); false where there is none. */
  recall(prompts: readonly string[], step: 1 | -1): boolean {
    const recalled = recall(prompts, this._place, this._text, step);
    if (recalled) {
      this._place = recalled.place;
      this._put(recalled.text, step === 1 ? 0 : recalled.text.length);
    }
    return recalled !== null;
  }

  /** Add `cells`, or bring those that are there up to date. */
  attach(cells: readonly IAttachedCell[]): void {
    const ids = cells.map(cell => cell.cell_id);
    this._cells = [...this._cells.filter(cell => !ids.includes(cell.cell_id)), ...cells];
    this._changed.emit();
  }

  detach(cellId: string): void {
    this._cells = this._cells.filter(cell => cell.cell_id !== cellId);
    this._changed.emit();
  }

  /** Add the pictures in `files`, in order. */
  async addPictures(files: readonly Blob[]): Promise<void> {
    this._problem = '';
    for (const file of files) {
      if (this._images.length >= MAX_PICTURES) {
        this._problem = 'too many';
        break;
      }
      try {
        const picture = await pictureOf(file);
        this._images = [...this._images, { ...picture, id: UUID.uuid4() }];
      } catch (reason) {
        console.warn('pi-notebook: a picture could not be read', reason);
        this._problem = 'unreadable';
      }
    }
    this._changed.emit();
  }

  removePicture(id: string): void {
    this._images = this._images.filter(image => image.id !== id);
    this._problem = '';
    this._changed.emit();
  }

  /** All of it, to be sent; the draft is empty then. */
  take(): IPromptContent {
    const content = { text: wellFormed(this._text).trim(), cells: this._cells, images: this._images };
    this._cells = [];
    this._images = [];
    this._problem = '';
    this._place = AT_END;
    this._put('', null);
    return content;
  }

  /** What was taken and not said comes back, before what was written since. */
  giveBack({ text, cells, images }: IPromptContent): void {
    const attached = cells.filter(cell => !this._cells.some(other => other.cell_id === cell.cell_id));
    this._cells = [...attached, ...this._cells];
    this._images = [...images, ...this._images];
    const all = [text, this._text].filter(part => part.trim()).join('\n\n');
    this._put(all, all.length);
  }

  private _put(text: string, caret: number | null): void {
    this._text = text;
    this._caret = caret;
    if (this._session) {
      this._drafts.keep(this._session, text);
    }
    this._changed.emit();
  }

  private _caret: number | null = null;
  private _cells: readonly IAttachedCell[] = [];
  private readonly _changed = new Signal<this, void>(this);
  private readonly _drafts: Drafts;
  private _images: readonly IPicture[] = [];
  private _isDisposed = false;
  private _place: IPlace = AT_END;
  private _problem: '' | 'unreadable' | 'too many' = '';
  private _session = '';
  private _text = '';
}
