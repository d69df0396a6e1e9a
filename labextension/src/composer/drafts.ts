/**
 * What was written and not sent, by session, kept in the browser's storage.
 *
 * A page that is loaded again finds the last letter there: nothing waits for the server, and front ends that keep
 * no layout have it too. Text alone: pictures would soon fill what a page may store.
 */

const PREFIX = 'pi-notebook:draft:';
const MAX_SESSIONS = 30;
const MAX_CHARS = 20_000;

/** What of the browser's storage is used. */
export type Store = Pick<Storage, 'getItem' | 'key' | 'length' | 'removeItem' | 'setItem'>;

/** A draft as it is stored. */
interface IKept {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly written: number;
}

/** The browser's storage, where a page may use it. */
export function pageStore(): Store | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** The drafts of this browser's user; without a store there are none after a reload. */
export class Drafts {
  constructor(store: Store | null) {
    this._store = store;
  }

  of(session: string): string {
    return this._read(PREFIX + session)?.text ?? '';
  }

  /** Keep `text`; an empty one is none, and so is one that is too long to be typed. */
  keep(session: string, text: string): void {
    const key = PREFIX + session;
    try {
      if (text === '' || text.length > MAX_CHARS) {
        this._store?.removeItem(key);
      } else {
        this._store?.setItem(key, JSON.stringify({ text, written: Date.now() } satisfies IKept));
        this._forgetOldest();
      }
    } catch (reason) {
      if (!this._isWarned) {
        console.warn('pi-notebook: drafts cannot be kept', reason);
      }
      this._isWarned = true;
    }
  }

  private _forgetOldest(): void {
    const store = this._store;
    const all = Array.from({ length: store?.length ?? 0 }, (_, place) => store?.key(place) ?? '');
    const drafts = all.filter(key => key.startsWith(PREFIX));
    if (drafts.length > MAX_SESSIONS) {
      const age = (key: string): number => this._read(key)?.written ?? 0;
      drafts.sort((one, other) => age(one) - age(other));
      drafts.slice(0, -MAX_SESSIONS).forEach(key => store?.removeItem(key));
    }
  }

  /** What stands at `key`, unless another version wrote it in another form. */
  private _read(key: string): IKept | null {
    try {
      const kept: unknown = JSON.parse(this._store?.getItem(key) ?? 'null');
      const { text, written } = (kept ?? {}) as Partial<Record<keyof IKept, unknown>>;
      return typeof text === 'string' && typeof written === 'number' ? { text, written } : null;
    } catch {
      return null;
    }
  }

  private _isWarned = false;
  private readonly _store: Store | null;
}
