/**
 * The request as it is sent, to be read and copied.
 */
import * as React from 'react';

import { answerTo, rawOf } from '../wanted';
import { RequestChoice } from './choice';
import { Waiting } from './composition';
import { IView } from './view';

export function Raw(view: IView): React.JSX.Element {
  const { state, around } = view;
  const { texts } = around;
  const raw = rawOf(state);
  return (
    <>
      <div className="jp-pi-Inspector-row jp-pi-Inspector-filter">
        <RequestChoice {...view} />
        {raw && <Copy {...view} text={raw.text} />}
      </div>
      <p className="jp-pi-Inspector-faint">
        {texts.__('Secrets are masked.')} {raw?.is_cut && texts.__('It is too long to be shown whole: its end is missing.')}
      </p>
      {raw ? (
        <pre className="jp-pi-Raw" tabIndex={0} role="region" aria-label={texts.__('The request as sent')}>
          {raw.text}
        </pre>
      ) : (
        <Waiting view={view} isFailed={answerTo(state, { type: 'inspect_raw', number: state.number }).error !== ''} />
      )}
    </>
  );
}

function Copy({ around, send, text }: IView & { readonly text: string }): React.JSX.Element {
  const { texts } = around;
  const say = (words: string, kind: 'done' | 'failed'): void =>
    send({ type: 'result', result: { text: words, kind } });
  const copy = (event: React.MouseEvent): void => {
    const button = event.currentTarget;
    // A page that is not served safely has no clipboard, and a frame may not use it; the older way has no such bounds.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('There is no clipboard.'));
    written.catch(() => copySelected(button)).then(
      () => say(texts.__('The request is copied.'), 'done'),
      () => say(texts.__('This page may not copy: select the text and copy it yourself.'), 'failed')
    );
  };
  return (
    <button type="button" className="jp-pi-Inspector-button" onClick={copy}>
      {texts.__('Copy')}
    </button>
  );
}

/** Copy what the page beside `button` shows by selecting it. */
function copySelected(button: Element): Promise<void> {
  const shown = button.closest('.jp-pi-Inspector-page')?.querySelector('pre');
  const selection = window.getSelection();
  if (shown && selection) {
    selection.selectAllChildren(shown);
    if (document.execCommand('copy')) {
      return Promise.resolve();
    }
  }
  return Promise.reject(new Error('There is no clipboard.'));
}
