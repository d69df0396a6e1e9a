/**
 * The sessions of the folder, in place of the conversation: to be found, gone on with, and put in order.
 */
import { addIcon, caretLeftIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { said } from '../kernel/said';
import { marked } from '../marked';
import { ISessionList } from '../sessions';
import { ISurroundings } from './facts';
import { ISessionActions, Session } from './session';

export interface ISessionsProps extends ISessionActions {
  readonly list: ISessionList;
  /** In seconds since 1970, against which ages are told. */
  readonly now: number;
  readonly around: ISurroundings;
  readonly onSearch: (query: string) => void;
  readonly onNew: () => void;
  readonly onClose: () => void;
}

export function SessionsView(props: ISessionsProps): React.JSX.Element {
  const { list, around, onClose } = props;
  const { trans } = around;
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.stopPropagation();
      onClose();
    }
  };
  return (
    <section className="jp-pi-Sessions" aria-label={trans.__('Sessions')} onKeyDown={onKeyDown}>
      <Top {...props} />
      {list.told.text && (
        <div className={list.told.isError ? 'jp-pi-Error' : 'jp-pi-Told'} role={list.told.isError ? 'alert' : 'status'}>
          {marked(said(list.told.text, trans))}
        </div>
      )}
      <ul className="jp-pi-Sessions-list" aria-busy={list.isLoading}>
        {list.rows.map(row => (
          <Session key={row.session_id} row={row} {...props} />
        ))}
      </ul>
      {list.rows.length === 0 && !list.isLoading && (
        <p className="jp-pi-Sessions-end jp-pi-faint" role="status">
          {list.query ? trans.__('No session holds these words.') : trans.__('There is no session in this folder yet.')}
        </p>
      )}
      {list.more > 0 && (
        <p className="jp-pi-Sessions-end jp-pi-faint">
          {trans.__('%1 older ones: search finds them.', list.more.toLocaleString())}
        </p>
      )}
    </section>
  );
}

function Top({ list, around, onSearch, onNew, onClose }: ISessionsProps): React.JSX.Element {
  const { trans } = around;
  return (
    <div className="jp-pi-Sessions-top">
      <button
        className="jp-pi-IconButton"
        aria-label={trans.__('Back to the conversation')}
        title={trans.__('Back to the conversation')}
        onClick={onClose}
      >
        <caretLeftIcon.react tag="span" />
      </button>
      <input
        className="jp-pi-Input"
        type="search"
        autoFocus
        value={list.query}
        placeholder={trans.__('Search sessions')}
        aria-label={trans.__('Search sessions')}
        onChange={event => onSearch(event.target.value)}
      />
      <button className="jp-pi-Button" onClick={onNew}>
        <addIcon.react tag="span" />
        {trans.__('New')}
      </button>
    </div>
  );
}
