/**
 * The inspector of a session: its tabs, what is wrong, and what became of what was done.
 */
import * as React from 'react';

import { said } from '../../kernel/said';
import { marked } from '../../marked';
import { ITexts } from '../../texts';
import { moment } from '../amounts';
import { Inspection } from '../inspection';
import { ISaved, Tab } from '../state';
import { overviewOf, trouble } from '../wanted';
import { Compactions } from './compactions';
import { Composition } from './composition';
import { Heading } from './heading';
import { Ledger } from './ledger';
import { Raw } from './raw';
import { Tabs } from './tabs';
import { Timeline } from './timeline';
import { IAround, IView } from './view';

const PAGES: Readonly<Record<Tab, (view: IView) => React.JSX.Element>> = {
  composition: Composition,
  timeline: Timeline,
  compactions: Compactions,
  ledger: Ledger,
  raw: Raw
};

export interface IInspectorProps {
  readonly inspection: Inspection;
  readonly around: IAround;
}

export function Inspector({ inspection, around }: IInspectorProps): React.JSX.Element {
  const state = React.useSyncExternalStore(inspection.subscribe, () => inspection.state);
  const id = React.useId();
  const view: IView = { state, around, send: inspection.send, act: inspection.act, retry: inspection.retry };
  const Page = PAGES[state.tab];
  return (
    <section className="jp-pi-Inspector" aria-label={around.texts.__('Context inspector')}>
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

/** What is wrong with what is looked at, and the way to try again. */
function Trouble({ state, around, retry }: IView): React.JSX.Element | null {
  const { texts } = around;
  const { error, isSlow } = trouble(state);
  if (state.saved?.isAlone) {
    return <SavedNote saved={state.saved} texts={texts} retry={retry} />;
  }
  if (!error && !isSlow) {
    return null;
  }
  const slowness = overviewOf(state)?.is_running
    ? texts.__('The kernel is at work: it answers when the cell is done.')
    : texts.__('The kernel does not answer: it is busy or gone.');
  return (
    <div className="jp-pi-Inspector-trouble" role="alert">
      <span>{said(error, texts) || slowness}</span>
      <button type="button" className="jp-pi-Inspector-button" onClick={retry}>
        {texts.__('Try again')}
      </button>
    </div>
  );
}

interface ISavedNoteProps {
  readonly saved: ISaved;
  readonly texts: ITexts;
  readonly retry: () => void;
}

/** Says that nothing of this is from a kernel. */
function SavedNote({ saved, texts, retry }: ISavedNoteProps): React.JSX.Element {
  return (
    <div className="jp-pi-Inspector-trouble" role="status">
      <span>
        {texts.__('A saved picture of the context, as it was on %1. No kernel answers: run the cell again for more.', moment(saved.time))}{' '}
        {saved.isShortened && texts.__('The largest parts were saved.')}
      </span>
      <button type="button" className="jp-pi-Inspector-button" onClick={retry}>
        {texts.__('Try again')}
      </button>
    </div>
  );
}

function Result({ state, around, send }: IView): React.JSX.Element {
  const { result } = state;
  return (
    <div className={`jp-pi-Inspector-status ${result ? `jp-mod-${result.kind}` : ''}`}>
      <span role="status">
        {result && marked(said(result.text, around.texts) || around.texts.__('Done.'))}
      </span>
      {result && result.kind !== 'busy' && (
        <button
          type="button"
          className="jp-pi-Inspector-button jp-mod-plain"
          aria-label={around.texts.__('Dismiss')}
          onClick={() => send({ type: 'result', result: null })}
        >
          ×
        </button>
      )}
    </div>
  );
}
