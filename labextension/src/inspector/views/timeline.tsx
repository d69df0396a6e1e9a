/**
 * The size of the context over the requests that were sent; one is chosen, or two are compared.
 */
import * as React from 'react';

import { count, moment } from '../amounts';
import { Choice } from '../state';
import { compositionOf, overviewOf, pair } from '../wanted';
import { Chart } from './chart';
import { RequestChoice } from './choice';
import { CompositionBody, Waiting } from './composition';
import { DifferenceBody } from './difference';
import { IView } from './view';

export function Timeline(view: IView): React.JSX.Element {
  const { state, around } = view;
  const { texts } = around;
  const overview = overviewOf(state);
  if (!overview) {
    return <Waiting view={view} isFailed={false} />;
  }
  if (!overview.timeline.length) {
    return <p>{texts.__('No request was sent yet.')}</p>;
  }
  return (
    <>
      <Chart {...view} timeline={overview.timeline} next={compositionOf(state, null)?.sizes ?? null} />
      <p className="jp-pi-Inspector-faint jp-pi-Inspector-hint">
        {texts.__('Click or use the arrow keys to choose a request; with Shift, to choose what it is compared with.')}
      </p>
      <div className="jp-pi-Inspector-row jp-pi-Inspector-filter">
        <RequestChoice {...view} />
        <Comparison {...view} last={overview.count} />
        <Facts {...view} />
      </div>
      {pair(state) ? <DifferenceBody {...view} /> : <CompositionBody {...view} />}
    </>
  );
}

/** The request that the chosen one is compared with, by its number. */
function Comparison({ state, around, send, last }: IView & { readonly last: number }): React.JSX.Element {
  const { texts } = around;
  const { compared } = state;
  const compare = (number: Choice | undefined): void => send({ type: 'compare', number });
  return (
    <span className="jp-pi-Inspector-row">
      <label className="jp-pi-Inspector-row">
        {texts.__('compare with')}
        <input
          type="number"
          min={1}
          max={last}
          value={compared ?? ''}
          placeholder={compared === null ? texts.__('next') : texts.__('none')}
          onChange={event => compare(numberIn(event.target.value, last))}
        />
      </label>
      {compared !== undefined && (
        <button type="button" className="jp-pi-Inspector-button jp-mod-plain" onClick={() => compare(undefined)}>
          {texts.__('Do not compare')}
        </button>
      )}
    </span>
  );
}

/** When the chosen request was sent and how it ended. */
function Facts({ state, around }: IView): React.JSX.Element | null {
  const { texts } = around;
  const point = overviewOf(state)?.timeline.find(({ number }) => number === state.number);
  if (!point) {
    return null;
  }
  const facts = [
    moment(point.time),
    point.outcome === 'aborted' ? texts.__('stopped') : '',
    point.outcome === 'failed' ? texts.__('failed') : '',
    point.compactions ? texts.__('compactions before it: %1', count(point.compactions)) : '',
    point.edits ? texts.__('prunings and edits before it: %1', count(point.edits)) : ''
  ];
  return <span className="jp-pi-Inspector-faint">{facts.filter(Boolean).join(' · ')}</span>;
}

/** The number of a request in `text`; `undefined` when there is none. */
export function numberIn(text: string, last: number): number | undefined {
  const number = Math.floor(Number(text));
  return number >= 1 && number <= last ? number : undefined;
}
