/**
 * The inspector of a session: its heading, its tabs and the page that is open.
 */
import * as React from 'react';

import { keepFocus } from '../../keptfocus';
import { Inspection } from '../inspection';
import { Tab } from '../state';
import { Compactions } from './compactions';
import { Composition } from './composition';
import { Heading } from './heading';
import { Ledger } from './ledger';
import { Raw } from './raw';
import { Tabs } from './tabs';
import { Timeline } from './timeline';
import { Result, Trouble } from './told';
import { IAround, IView } from './view';

const PAGES: Readonly<Record<Tab, (view: IView) => React.JSX.Element>> = {
  composition: Composition,
  timeline: Timeline,
  compactions: Compactions,
  ledger: Ledger,
  raw: Raw
};

/** What is gone on with where a part of it is done; else it is the tab that is open. */
const NEAR = 'ul, header, .jp-pi-Part, .jp-pi-Inspector-filter';

export interface IInspectorProps {
  readonly inspection: Inspection;
  readonly around: IAround;
}

export function Inspector({ inspection, around }: IInspectorProps): React.JSX.Element {
  const state = React.useSyncExternalStore(inspection.subscribe, () => inspection.state);
  const id = React.useId();
  const root = React.useRef<HTMLElement>(null);
  React.useEffect(() => keepFocus(root.current!, '[role=tab][aria-selected=true]', NEAR), []);
  const view: IView = { state, around, send: inspection.send, act: inspection.act, retry: inspection.retry };
  const Page = PAGES[state.tab];
  return (
    <section ref={root} className="jp-pi-Inspector" aria-label={around.texts.__('Context inspector')}>
      <Heading {...view} />
      <Tabs {...view} id={id} />
      <Trouble {...view} />
      <div
        key={state.tab}
        className="jp-pi-Inspector-page"
        role="tabpanel"
        id={`${id}-page`}
        aria-labelledby={`${id}-${state.tab}`}
        tabIndex={0}
      >
        <Page {...view} />
      </div>
      <Result {...view} />
    </section>
  );
}
