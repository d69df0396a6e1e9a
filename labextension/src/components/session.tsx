/**
 * One session of the list, and what can be done with it; each question stands in its row.
 */
import { deleteIcon, downloadIcon, editIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ago } from '../ago';
import { ISessionRow } from '../protocol';
import { ExportFormat } from '../sessions';
import { ISurroundings } from './facts';
import { Delete, Export, Rename } from './sessionforms';

export interface ISessionActions {
  readonly onOpen: (sessionId: string) => void;
  readonly onRename: (sessionId: string, name: string) => void;
  readonly onDelete: (sessionId: string) => void;
  readonly onExport: (sessionId: string, format: ExportFormat) => void;
}

export interface ISessionProps extends ISessionActions {
  readonly row: ISessionRow;
  readonly now: number;
  readonly around: ISurroundings;
}

type Asked = 'rename' | 'delete' | 'export';

export function Session(given: ISessionProps): React.JSX.Element {
  const row = { ...given.row, name: given.row.name || given.around.trans.__('New session') };
  const props = { ...given, row };
  const [asked, setAsked] = React.useState<Asked | null>(null);
  const done = (): void => setAsked(null);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape' && asked) {
      event.preventDefault();
      done();
    }
  };
  return (
    <li className={`jp-pi-Session ${row.is_current ? 'jp-mod-current' : ''}`} onKeyDown={onKeyDown}>
      {asked === 'rename' ? (
        <Rename {...props} onDone={done} />
      ) : (
        <div className="jp-pi-Session-row">
          <Opener {...props} />
          <Actions {...props} asked={asked} onAsk={what => setAsked(what === asked ? null : what)} />
        </div>
      )}
      {asked === 'delete' && <Delete {...props} onDone={done} />}
      {asked === 'export' && <Export {...props} onDone={done} />}
    </li>
  );
}

function Opener({ row, now, around, onOpen }: ISessionProps): React.JSX.Element {
  const { trans } = around;
  const when = new Date(1000 * row.time);
  return (
    <button
      className="jp-pi-Session-open"
      aria-current={row.is_current}
      aria-label={row.is_current ? trans.__('%1, the current session', row.name) : row.name}
      title={row.name}
      onClick={() => onOpen(row.session_id)}
    >
      <span className="jp-pi-Session-name">{row.name}</span>
      <span className="jp-pi-Session-facts jp-pi-faint">
        {row.is_current && <span className="jp-pi-Session-mark">{trans.__('current')}</span>}
        <time dateTime={when.toISOString()} title={when.toLocaleString()}>
          {ago(row.time, now, document.documentElement.lang || undefined)}
        </time>
        <span>{trans._n('%1 prompt', '%1 prompts', row.prompts)}</span>
      </span>
      {row.excerpt && <span className="jp-pi-Session-excerpt jp-pi-faint">{row.excerpt}</span>}
    </button>
  );
}

interface IActionsProps extends ISessionProps {
  readonly asked: Asked | null;
  readonly onAsk: (what: Asked) => void;
}

function Actions({ row, around, asked, onAsk }: IActionsProps): React.JSX.Element {
  const { trans } = around;
  const button = (what: Asked, label: string, icon: React.JSX.Element): React.JSX.Element => (
    <button
      className="jp-pi-IconButton"
      aria-label={label}
      aria-expanded={asked === what}
      title={label}
      onClick={() => onAsk(what)}
    >
      {icon}
    </button>
  );
  return (
    <div className="jp-pi-Session-actions">
      {button('rename', trans.__('Rename %1', row.name), <editIcon.react tag="span" />)}
      {button('export', trans.__('Export %1', row.name), <downloadIcon.react tag="span" />)}
      {button('delete', trans.__('Delete %1', row.name), <deleteIcon.react tag="span" />)}
    </div>
  );
}
