/**
 * What the inspector tells beside its pages: what is wrong, and what became of what was done.
 */
import * as React from 'react';

import { said } from '../../kernel/said';
import { marked } from '../../marked';
import { ITexts } from '../../texts';
import { moment } from '../amounts';
import { ISaved } from '../state';
import { overviewOf, trouble } from '../wanted';
import { IView } from './view';

/** What is wrong with what is looked at, and the way to try again. */
export function Trouble({ state, around, retry }: IView): React.JSX.Element | null {
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

/** What became of what was done. */
export function Result({ state, around, send }: IView): React.JSX.Element {
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
