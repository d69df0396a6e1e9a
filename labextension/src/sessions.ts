/**
 * The list of sessions, while it is looked at, and what is done with them.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { Question } from './kernel/client';
import { IReplies } from './kernel/replies';
import { IDoneReply, IExportRequest, ISessionRow } from './protocol';

/** How long the person pauses before what they type is searched for. */
const PAUSE_MS = 200;

export type ExportFormat = IExportRequest['format'];

/** Asks the kernel one question. */
export type Ask = <T extends keyof IReplies>(question: Question<T>) => Promise<IReplies[T]>;

/** The list as it is shown. */
export interface ISessionList {
  readonly query: string;
  readonly rows: readonly ISessionRow[];
  /** So many more there are than are listed. */
  readonly more: number;
  /** True while the kernel has not answered. */
  readonly isLoading: boolean;
  /** What was done, or could not be. */
  readonly told: ITold;
}

/** A sentence of the kernel. */
export interface ITold {
  readonly text: string;
  readonly isError: boolean;
}

const NOTHING: ITold = { text: '', isError: false };
const EMPTY: ISessionList = { query: '', rows: [], more: 0, isLoading: false, told: NOTHING };

/**
 * The sessions of the kernel's folder, asked for when they are looked at.
 */
export class Sessions implements IDisposable {
  constructor(ask: Ask) {
    this._ask = ask;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** `null` while nobody looks. */
  get list(): ISessionList | null {
    return this._list;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    Signal.clearData(this);
  }

  open(): void {
    this._set(EMPTY);
    this.refresh();
  }

  close(): void {
    window.clearTimeout(this._timer);
    this._set(null);
  }

  /** Ask for the list again, where there is one. */
  refresh(): void {
    const question = ++this._question;
    const query = this._list?.query ?? '';
    if (!this._list) {
      return;
    }
    this._set({ ...this._list, isLoading: true });
    this._ask({ type: 'sessions', query }).then(
      ({ sessions, more }) => this._answer(question, { rows: sessions, more }),
      (reason: Error) => this._answer(question, { told: { text: reason.message, isError: true } })
    );
  }

  /** Show the sessions that hold the words of `query`. */
  search(query: string): void {
    if (this._list) {
      this._set({ ...this._list, query, told: NOTHING });
      window.clearTimeout(this._timer);
      this._timer = window.setTimeout(() => this.refresh(), PAUSE_MS);
    }
  }

  /** Go on with another session; the list is done with then. */
  async resume(session_id: string): Promise<void> {
    if (await this._do(() => this._ask({ type: 'resume_session', session_id }))) {
      this.close();
    }
  }

  async rename(session_id: string, name: string): Promise<void> {
    await this._do(() => this._ask({ type: 'rename_session', session_id, name }));
    this.refresh();
  }

  async remove(session_id: string): Promise<void> {
    await this._do(() => this._ask({ type: 'delete_session', session_id }));
    this.refresh();
  }

  async export(session_id: string, format: ExportFormat): Promise<void> {
    await this._do(() => this._ask({ type: 'export', format, session_id }));
  }

  /** Whether it was done; what the kernel says of it is shown above the list. */
  private async _do(ask: () => Promise<IDoneReply>): Promise<boolean> {
    try {
      const { text, path } = await ask();
      this._tell({ text: text || path, isError: false });
      return true;
    } catch (reason) {
      this._tell({ text: (reason as Error).message, isError: true });
      // It may have been deleted elsewhere.
      this.refresh();
      return false;
    }
  }

  private _answer(question: number, answer: Partial<ISessionList>): void {
    if (this._list && question === this._question) {
      this._set({ ...this._list, ...answer, isLoading: false });
    }
  }

  private _tell(told: ITold): void {
    if (this._list) {
      this._set({ ...this._list, told });
    }
  }

  private _set(list: ISessionList | null): void {
    if (!this._isDisposed) {
      this._list = list;
      this._changed.emit();
    }
  }

  private readonly _ask: Ask;
  private readonly _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _list: ISessionList | null = null;
  private _question = 0;
  private _timer = 0;
}
