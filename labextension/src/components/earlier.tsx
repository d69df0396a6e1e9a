/**
 * The way to what stands above the oldest message that is shown.
 */
import * as React from 'react';

import { said } from '../kernel/said';
import { ISurroundings } from './facts';
import { useScrolling } from './scrolling';

export interface IEarlierProps {
  readonly scrolling: ReturnType<typeof useScrolling>;
  readonly around: ISurroundings;
}

export function Earlier({ scrolling, around }: IEarlierProps): React.JSX.Element {
  const { trans } = around;
  return (
    <div className="jp-pi-Earlier jp-pi-faint">
      {scrolling.isLoading ? (
        <span>{trans.__('Loading older messages …')}</span>
      ) : (
        <button type="button" className="jp-pi-Link" onClick={scrolling.loadEarlier}>
          {trans.__('Show older messages')}
        </button>
      )}
      {scrolling.problem && <span className="jp-mod-error"> {said(scrolling.problem, trans)}</span>}
    </div>
  );
}
