/**
 * Drawing untrusted markdown into a node, a little at a time: no answer, however long, stops the page.
 */
import { IRenderMimeRegistry, renderMarkdown } from '@jupyterlab/rendermime';
import { IDisposable } from '@lumino/disposable';

import { drawable, hasFormula } from './drawable';

/** How long is drawn in one go. */
const TURN_MS = 8;

/** The longer a text takes to draw, the more seldom it is drawn while it grows. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 400;

/**
 * What one node shows; of the texts that come while it is drawn only the newest is.
 */
export class Drawing implements IDisposable {
  /** `onDrawn` is called each time the node has been filled. */
  constructor(host: HTMLElement, rendermime: IRenderMimeRegistry, onDrawn: () => void) {
    this._host = host;
    this._rendermime = rendermime;
    this._onDrawn = onDrawn;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._markdown = null;
  }

  /** Draw `markdown` soon; until then the node shows what it does, or the text as it is. */
  draw(markdown: string): void {
    if (!this._isDrawn) {
      this._host.textContent = markdown;
    }
    this._markdown = markdown;
    if (!this._isBusy) {
      this._isBusy = true;
      QUEUE.add(() => this._drawNewest());
    }
  }

  /** Show `code` as it is, at once. */
  show(code: string): void {
    this._markdown = null;
    this._isDrawn = true;
    let shown = this._host.querySelector(':scope > pre.jp-mod-growing > code');
    if (!shown) {
      const pre = document.createElement('pre');
      pre.className = 'jp-mod-growing';
      shown = pre.appendChild(document.createElement('code'));
      this._host.replaceChildren(pre);
    }
    shown.textContent = code;
  }

  private async _drawNewest(): Promise<void> {
    const markdown = this._markdown;
    this._markdown = null;
    const began = performance.now();
    if (markdown !== null) {
      await this._fill(markdown);
    }
    const pause = Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - began));
    window.setTimeout(() => {
      this._isBusy = false;
      if (this._markdown !== null) {
        this.draw(this._markdown);
      }
    }, pause);
  }

  private async _fill(markdown: string): Promise<void> {
    const { sanitizer, latexTypesetter, markdownParser, linkHandler } = this._rendermime;
    // Filled aside: what is shown stays until the next is there.
    const aside = document.createElement('div');
    try {
      await renderMarkdown({
        host: aside,
        source: drawable(markdown),
        trusted: false,
        resolver: null,
        sanitizer,
        linkHandler,
        shouldTypeset: false,
        latexTypesetter,
        markdownParser
      });
      if (this._isDisposed) {
        return;
      }
      this._isDrawn = true;
      this._host.replaceChildren(...aside.childNodes);
      this._onDrawn();
      if (latexTypesetter && hasFormula(markdown)) {
        await latexTypesetter.typeset(this._host);
      }
    } catch (reason) {
      console.warn('pi-notebook: an answer could not be drawn', reason);
    }
  }

  private readonly _host: HTMLElement;
  private _isBusy = false;
  private _isDisposed = false;
  private _isDrawn = false;
  private _markdown: string | null = null;
  private readonly _onDrawn: () => void;
  private readonly _rendermime: IRenderMimeRegistry;
}

/**
 * Jobs one after the other, in turns between which the page can do something else.
 */
class Queue {
  add(job: () => Promise<void>): void {
    this._last = this._last.then(() => this._take(job)).catch(reason => console.warn('pi-notebook: not drawn', reason));
  }

  private async _take(job: () => Promise<void>): Promise<void> {
    if (performance.now() - this._turnBegan > TURN_MS) {
      await new Promise(resolve => window.setTimeout(resolve));
      this._turnBegan = performance.now();
    }
    await job();
  }

  private _last: Promise<void> = Promise.resolve();
  private _turnBegan = 0;
}

const QUEUE = new Queue();
