/**
 * An answer, drawn as it grows.
 */
import { IRenderMimeRegistry, MimeModel } from '@jupyterlab/rendermime';
import * as React from 'react';

const MIME_TYPE = 'text/markdown';

/** The longer a text takes to draw, the more seldom it is drawn while it grows. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 400;

export interface IMarkdownProps {
  readonly text: string;
  readonly rendermime: IRenderMimeRegistry;
}

/** `text` as markdown of an untrusted source. */
export function Markdown({ text, rendermime }: IMarkdownProps): React.JSX.Element {
  const host = React.useRef<HTMLDivElement>(null);
  const drawing = React.useRef<Drawing | null>(null);
  React.useEffect(() => {
    drawing.current = new Drawing(host.current!, rendermime);
    return () => drawing.current?.dispose();
  }, [rendermime]);
  React.useEffect(() => drawing.current?.draw(text), [text, rendermime]);
  return <div className="jp-pi-Markdown" ref={host} />;
}

/**
 * One renderer in its host; draws the newest text once the one before is done.
 */
class Drawing {
  constructor(host: HTMLElement, rendermime: IRenderMimeRegistry) {
    this._renderer = rendermime.createRenderer(MIME_TYPE);
    host.replaceChildren(this._renderer.node);
  }

  draw(text: string): void {
    this._text = text;
    this._isDue = true;
    if (!this._isBusy) {
      void this._drawAll();
    }
  }

  dispose(): void {
    this._isDue = false;
    this._renderer.dispose();
  }

  private async _drawAll(): Promise<void> {
    this._isBusy = true;
    while (this._isDue) {
      this._isDue = false;
      const began = performance.now();
      try {
        const data = { [MIME_TYPE]: this._text };
        await this._renderer.renderModel(new MimeModel({ data, trusted: false }));
      } catch (reason) {
        console.warn('pi-notebook: an answer could not be drawn', reason);
      }
      const pause = Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - began));
      await new Promise(resolve => window.setTimeout(resolve, pause));
    }
    this._isBusy = false;
  }

  private _isBusy = false;
  private _isDue = false;
  private readonly _renderer: ReturnType<IRenderMimeRegistry['createRenderer']>;
  private _text = '';
}
