/**
 * The parts of a request, filtered and sorted.
 */
import * as React from 'react';

import { IPart } from '../../protocol';
import { count } from '../amounts';
import { categoryName, togetherWith } from '../categories';
import { arrangeParts } from '../rows';
import { PartList } from './partlist';
import { IView } from './view';

export interface IPartsProps extends IView {
  readonly parts: readonly IPart[];
  /** Of the whole request. */
  readonly tokens: number;
}

export function Parts(view: IPartsProps): React.JSX.Element {
  const { state, around, parts, tokens } = view;
  const { texts } = around;
  const { category, query } = state.filter;
  const shown = arrangeParts(parts, state.filter);
  const together = togetherWith(category);
  return (
    <>
      <PartsFilter {...view} shown={shown.length} />
      {together.length > 0 && (
        <p className="jp-pi-Inspector-faint">
          {texts.__('One part may have all of these: %1.', together.map(one => categoryName(one, texts)).join(', '))}
        </p>
      )}
      {shown.length === 0 && (
        <p>{category || query ? texts.__('No part is like that.') : texts.__('There are no parts.')}</p>
      )}
      <PartList {...view} parts={shown} tokens={tokens} scope="request" />
    </>
  );
}

function PartsFilter({ state, around, send, parts, shown }: IPartsProps & { readonly shown: number }): React.JSX.Element {
  const { texts } = around;
  const { category, query, order } = state.filter;
  return (
    <div className="jp-pi-Inspector-row jp-pi-Inspector-filter">
      <input
        type="search"
        value={query}
        placeholder={texts.__('Filter parts')}
        aria-label={texts.__('Filter parts')}
        onChange={event => send({ type: 'filter', filter: { query: event.target.value } })}
      />
      <select
        value={order}
        aria-label={texts.__('Order of the parts')}
        onChange={event =>
          send({ type: 'filter', filter: { order: event.target.value === 'sent' ? 'sent' : 'largest' } })
        }
      >
        <option value="largest">{texts.__('largest first')}</option>
        <option value="sent">{texts.__('as sent')}</option>
      </select>
      {category && (
        <button
          type="button"
          className="jp-pi-Inspector-button"
          aria-label={texts.__('Show all categories')}
          onClick={() => send({ type: 'filter', filter: { category: '' } })}
        >
          <span className="jp-pi-Swatch" data-name={category} /> {categoryName(category, texts)} ×
        </button>
      )}
      <span className="jp-pi-Inspector-faint" role="status">
        {texts.__('%1 of %2 parts', count(shown), count(parts.length))}
      </span>
    </div>
  );
}
