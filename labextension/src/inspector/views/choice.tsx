/**
 * Choosing the request that is looked at.
 */
import * as React from 'react';

import { count } from '../amounts';
import { Choice } from '../state';
import { overviewOf } from '../wanted';
import { IView } from './view';

/** Steps to the request before and the one after; the last is the one that would be sent next. */
export function RequestChoice({ state, around, send }: IView): React.JSX.Element {
  const { texts } = around;
  const sent = overviewOf(state)?.count ?? 0;
  const { number } = state;
  const choose = (next: Choice): void => send({ type: 'choose', number: next });
  const before = number === null ? sent : number - 1;
  return (
    <div className="jp-pi-Inspector-row" role="group" aria-label={texts.__('Request')}>
      <button
        type="button"
        className="jp-pi-Inspector-button"
        aria-label={texts.__('Request before')}
        disabled={before < 1}
        onClick={() => choose(before)}
      >
        ‹
      </button>
      <span aria-live="polite" className="jp-pi-Inspector-choice">
        {number === null ? texts.__('Next request') : texts.__('Request %1 of %2', count(number), count(sent))}
      </span>
      <button
        type="button"
        className="jp-pi-Inspector-button"
        aria-label={texts.__('Request after')}
        disabled={number === null}
        onClick={() => choose(number !== null && number < sent ? number + 1 : null)}
      >
        ›
      </button>
      {number !== null && (
        <button type="button" className="jp-pi-Inspector-button jp-mod-plain" onClick={() => choose(null)}>
          {texts.__('Show the next one')}
        </button>
      )}
    </div>
  );
}
