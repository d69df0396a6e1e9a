/**
 * The categories of a request by name, tokens and share; choosing one shows its parts alone.
 */
import * as React from 'react';

import { count, share } from '../amounts';
import { categoryName } from '../categories';
import { barOf, sumsOf } from '../geometry';
import { ISharesProps, stretchName } from './bar';

export function Legend({ state, around, send, sizes, shares }: ISharesProps): React.JSX.Element {
  const { texts } = around;
  const { category } = state.filter;
  const room = barOf(sizes, shares).stretches.filter(({ kind }) => kind !== 'category');
  return (
    <ul className="jp-pi-Legend" aria-label={texts.__('Categories')}>
      {sumsOf(shares).map(sum => (
        <li key={sum.category}>
          <button
            type="button"
            className="jp-pi-Legend-entry"
            aria-pressed={sum.category === category}
            onClick={() => send({ type: 'filter', filter: { category: sum.category === category ? '' : sum.category } })}
          >
            <span className="jp-pi-Swatch" data-name={sum.category} />
            <span className="jp-pi-Inspector-grow">{categoryName(sum.category, texts)}</span>
            <span className="jp-pi-Inspector-number">{count(sum.tokens)}</span>
            <span className="jp-pi-Inspector-number jp-pi-Inspector-faint" title={texts.__('Of the request')}>
              {share(sum.tokens, sizes.tokens)}
            </span>
          </button>
        </li>
      ))}
      {room.map(stretch => (
        <li key={stretch.name} className="jp-pi-Legend-entry">
          <span className="jp-pi-Swatch" data-name={stretch.name} />
          <span className="jp-pi-Inspector-grow">{stretchName(stretch, texts)}</span>
          <span className="jp-pi-Inspector-number">{count(stretch.tokens)}</span>
          <span className="jp-pi-Inspector-number" />
        </li>
      ))}
    </ul>
  );
}
