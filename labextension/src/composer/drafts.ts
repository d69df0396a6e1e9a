/**
 * What was written and not sent, by session, kept where JupyterLab keeps its layout.
 *
 * Text alone: pictures would swell every saved layout.
 */
import { IStateDB } from '@jupyterlab/statedb';
import { PartialJSONValue } from '@lumino/coreutils';

const KEY = 'pi-notebook:drafts';
const MAX_SESSIONS = 30;
const MAX_CHARS = 20_000;

/** How long after the last change it is kept. */
const KEEP_MS = 300;

/** Text by session, the one written last at the end. */
export type DraftTexts = readonly (readonly [session: string, text: string])[];

/** `texts` with that of `session`, within bounds; an empty text is none. */
export function withText(texts: DraftTexts, session: string, text: string): DraftTexts {
  const others = texts.filter(([other]) => other !== session);
  const isKept = text !== '' && text.length <= MAX_CHARS;
  return (isKept ? [...others, [session, text] as const] : others).slice(-MAX_SESSIONS);
}

/** The drafts in `data`, which an older or newer version may have written. */
export function parseTexts(data: unknown): DraftTexts {
  const isText = (item: unknown): item is readonly [string, string] =>
    Array.isArray(item) && item.length === 2 && item.every(part => typeof part === 'string');
  return Array.isArray(data) ? data.filter(isText).slice(-MAX_SESSIONS) : [];
}

/**
 * The drafts of this page's user; without a state database they last as long as the page.
 */
export class Drafts {
  constructor(state: IStateDB | null) {
    this._state = state;
    this.ready = this._load().catch(reason => console.warn('pi-notebook: no drafts could be read', reason));
  }

  /** Resolved once what was kept before is here. */
  readonly ready: Promise<void>;

  of(session: string): string {
    return this._texts.find(([other]) => other === session)?.[1] ?? '';
  }

  keep(session: string, text: string): void {
    this._texts = withText(this._texts, session, text);
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._save(), KEEP_MS);
  }

  private async _load(): Promise<void> {
    const kept = parseTexts(await this._state?.fetch(KEY));
    this._texts = this._texts.reduce((texts, [session, text]) => withText(texts, session, text), kept);
  }

  private _save(): void {
    this._state
      ?.save(KEY, this._texts as unknown as PartialJSONValue)
      .catch((reason: unknown) => console.warn('pi-notebook: the drafts could not be kept', reason));
  }

  private readonly _state: IStateDB | null;
  private _texts: DraftTexts = [];
  private _timer = 0;
}
