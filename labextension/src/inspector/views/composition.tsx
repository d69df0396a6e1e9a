/**
 * What one request is made of: its bar, the categories, and its parts.
 */
import * as React from 'react';

import { count } from '../amounts';
import { answerTo, compositionOf } from '../wanted';
import { Bar } from './bar';
import { RequestChoice } from './choice';
import { Legend } from './legend';
import { Parts } from './parts';
import { IView } from './view';
import { waitingFor } from './waiting';

export function Composition(view: IView): React.JSX.Element {
  return (
    <>
      <RequestChoice {...view} />
      <CompositionBody {...view} />
    </>
  );
}

/** The composition without the choice of a request. */
export function CompositionBody(view: IView): React.JSX.Element {
  const { state, around } = view;
  const composition = compositionOf(state);
  if (!composition) {
    return <Waiting view={view} isFailed={answerTo(state, question(view)).error !== ''} />;
  }
  const { sizes, shares, parts } = composition;
  return (
    <>
      <Bar {...view} sizes={sizes} shares={shares} />
      <Legend {...view} sizes={sizes} shares={shares} />
      {sizes.tokens > sizes.trigger && (
        <p className="jp-pi-Inspector-faint">
          {around.texts.__('The context is compacted from %1 tokens on: it is over that.', count(sizes.trigger))}
        </p>
      )}
      {sizes.is_estimate && (
        <p className="jp-pi-Inspector-faint">
          {around.texts.__('Tokens are estimated: the provider has not counted this request.')}
        </p>
      )}
      <Parts {...view} parts={parts} tokens={sizes.tokens} />
    </>
  );
}

function question({ state }: IView): { type: 'inspect_composition'; number: number | null } {
  return { type: 'inspect_composition', number: state.number };
}

/** Stands where an answer will be; empty when it will not come, which is said elsewhere. */
export function Waiting({ view, isFailed }: { readonly view: IView; readonly isFailed: boolean }): React.JSX.Element {
  return <p className="jp-pi-Inspector-faint">{isFailed ? '' : waitingFor(view)}</p>;
}
