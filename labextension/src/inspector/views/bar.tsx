/**
 * The window of a request as one bar, to scale.
 */
import * as React from 'react';

import { ICategoryShare, ISizes } from '../../protocol';
import { ITexts } from '../../texts';
import { count, share } from '../amounts';
import { categoryName } from '../categories';
import { barOf, IBar, IStretch } from '../geometry';
import { IView } from './view';

/** Stretches that are wider than this part of the bar have their name below it. */
const NAMED_SHARE = 0.1;

export interface ISharesProps extends IView {
  readonly sizes: ISizes;
  readonly shares: readonly ICategoryShare[];
}

export function Bar({ state, around, send, sizes, shares }: ISharesProps): React.JSX.Element {
  const { texts } = around;
  const bar = barOf(sizes, shares);
  const { category } = state.filter;
  const onClick = (stretch: IStretch): void =>
    send({ type: 'filter', filter: { category: stretch.name === category ? '' : stretch.name } });
  // The legend says and does the same for those who do not point at the bar.
  return (
    <div className="jp-pi-Bar" role="img" aria-label={describe(bar, sizes, texts)}>
      <div className="jp-pi-Bar-window">
        {bar.stretches.map(stretch => (
          <div
            key={stretch.name}
            className={`jp-pi-Bar-stretch ${stretch.kind === 'category' ? 'jp-mod-category' : ''} ${
              category && category !== stretch.name ? 'jp-mod-other' : ''
            }`}
            data-name={stretch.name}
            style={{ width: percent(stretch.tokens, bar.whole) }}
            title={title(stretch, sizes, texts)}
            onClick={stretch.kind === 'category' ? () => onClick(stretch) : undefined}
          />
        ))}
      </div>
      <div
        className="jp-pi-Bar-threshold"
        style={{ left: percent(bar.threshold, bar.whole) }}
        title={texts.__('The context is compacted from %1 tokens on', count(bar.threshold))}
      />
      <div className="jp-pi-Bar-names" aria-hidden="true">
        {bar.stretches.map(stretch => (
          <div key={stretch.name} data-name={stretch.name} style={{ width: percent(stretch.tokens, bar.whole) }}>
            {stretch.tokens > NAMED_SHARE * bar.whole ? stretchName(stretch, texts) : ''}
          </div>
        ))}
      </div>
    </div>
  );
}

export function stretchName({ name, kind }: Pick<IStretch, 'name' | 'kind'>, texts: ITexts): string {
  switch (kind) {
    case 'category':
      return categoryName(name, texts);
    case 'free':
      return texts.__('free');
    case 'spare':
      return texts.__('past the threshold');
    case 'reserve':
      return texts.__('reply reserve');
  }
}

function describe(bar: IBar, sizes: ISizes, texts: ITexts): string {
  const parts = bar.stretches.map(stretch => `${stretchName(stretch, texts)} ${share(stretch.tokens, sizes.context_window)}`);
  const used = texts.__('%1 of %2 tokens', count(sizes.tokens), count(sizes.context_window));
  return `${used}: ${parts.join(', ')}`;
}

function title(stretch: IStretch, { context_window }: ISizes, texts: ITexts): string {
  const amounts = [count(stretch.tokens), share(stretch.tokens, context_window)];
  return texts.__('%1: %2 tokens, %3 of the window', stretchName(stretch, texts), ...amounts);
}

function percent(tokens: number, whole: number): string {
  return `${(100 * tokens) / whole}%`;
}
