/**
 * The tabs, which arrow keys walk through.
 */
import * as React from 'react';

import { ITexts } from '../../texts';
import { Tab } from '../state';
import { IView } from './view';

const TABS: readonly Tab[] = ['composition', 'timeline', 'compactions', 'ledger', 'raw'];

export function Tabs({ state, around, send, id }: IView & { readonly id: string }): React.JSX.Element {
  const list = React.useRef<HTMLDivElement>(null);
  const choose = (tab: Tab): void => {
    send({ type: 'tab', tab });
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab}"]`)?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const tab = tabAfter(state.tab, event.key);
    if (tab) {
      event.preventDefault();
      choose(tab);
    }
  };
  return (
    <div
      ref={list}
      className="jp-pi-Inspector-tabs"
      role="tablist"
      aria-label={around.texts.__('Views of the context')}
      onKeyDown={onKeyDown}
    >
      {TABS.map(tab => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`${id}-${tab}`}
          data-tab={tab}
          className="jp-pi-Inspector-tab"
          aria-selected={tab === state.tab}
          aria-controls={tab === state.tab ? `${id}-page` : undefined}
          tabIndex={tab === state.tab ? 0 : -1}
          onClick={() => choose(tab)}
        >
          {tabName(tab, around.texts)}
        </button>
      ))}
    </div>
  );
}

/** The tab that `key` leads to from `tab`; `null` for keys that lead nowhere. */
export function tabAfter(tab: Tab, key: string): Tab | null {
  const index = TABS.indexOf(tab);
  const indexes: Readonly<Record<string, number>> = {
    ArrowRight: (index + 1) % TABS.length,
    ArrowLeft: (index + TABS.length - 1) % TABS.length,
    Home: 0,
    End: TABS.length - 1
  };
  return TABS[indexes[key] ?? -1] ?? null;
}

function tabName(tab: Tab, texts: ITexts): string {
  switch (tab) {
    case 'composition':
      return texts.__('Composition');
    case 'timeline':
      return texts.__('Timeline');
    case 'compactions':
      return texts.__('Compactions');
    case 'ledger':
      return texts.__('Ledger');
    case 'raw':
      return texts.__('Raw');
  }
}
