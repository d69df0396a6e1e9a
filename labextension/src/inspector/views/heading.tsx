/**
 * Which session is looked at, and what can be done to its context.
 */
import * as React from 'react';

import { count, share } from '../amounts';
import { Form } from '../state';
import { compositionOf, overviewOf } from '../wanted';
import { CompactForm, ExportForm, HiddenList } from './deeds';
import { IView } from './view';

export function Heading(view: IView): React.JSX.Element {
  const { state, around, send } = view;
  const { texts } = around;
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape' && state.form) {
      event.stopPropagation();
      send({ type: 'form', form: '' });
    }
  };
  const overview = overviewOf(state);
  const sizes = compositionOf(state)?.sizes;
  return (
    <header className="jp-pi-Inspector-heading" onKeyDown={onKeyDown}>
      <div className="jp-pi-Inspector-title">
        <strong title={overview?.session_name}>{overview?.session_name || texts.__('Context')}</strong>
        {overview?.is_running && (
          <span className="jp-pi-Inspector-live">
            <span aria-hidden="true" />
            {texts.__('running')}
          </span>
        )}
        {sizes && (
          <>
            <span className="jp-pi-Inspector-faint">{sizes.model}</span>
            <span className="jp-pi-Inspector-faint">
              {sizes.number !== null && `${texts.__('request %1', count(sizes.number))}: `}
              {texts.__('%1 of %2 tokens', count(sizes.tokens), count(sizes.context_window))}
              {` (${share(sizes.tokens, sizes.context_window)})`}
            </span>
          </>
        )}
      </div>
      <div className="jp-pi-Inspector-actions">
        <Opener {...view} form="compact">
          {texts.__('Compact …')}
        </Opener>
        <Opener {...view} form="hidden">
          {texts.__('Hidden (%1)', count(overview?.hidden_count ?? 0))}
        </Opener>
        <Opener {...view} form="export">
          {texts.__('Export …')}
        </Opener>
      </div>
      {state.form === 'compact' && <CompactForm {...view} />}
      {state.form === 'hidden' && <HiddenList {...view} />}
      {state.form === 'export' && <ExportForm {...view} />}
    </header>
  );
}

interface IOpenerProps extends IView {
  readonly form: Form;
  readonly children: React.ReactNode;
}

function Opener({ state, send, form, children }: IOpenerProps): React.JSX.Element {
  const isOpen = state.form === form;
  return (
    <button
      type="button"
      className="jp-pi-Inspector-button"
      aria-expanded={isOpen}
      // Nobody is there who could do it.
      disabled={state.saved?.isAlone ?? false}
      onClick={() => send({ type: 'form', form: isOpen ? '' : form })}
    >
      {children}
    </button>
  );
}
