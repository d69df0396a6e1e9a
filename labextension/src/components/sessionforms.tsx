/**
 * What is asked before something is done with a session: a name, a format, or whether it is meant.
 */
import * as React from 'react';

import { ExportFormat } from '../sessions';
import { ISurroundings } from './facts';
import { ISessionProps } from './session';

const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ['html', 'HTML'],
  ['ipynb', 'Notebook'],
  ['md', 'Markdown'],
  ['jsonl', 'JSONL']
];

export interface IAskedProps extends ISessionProps {
  readonly onDone: () => void;
}

export function Rename({ row, around, onRename, onDone }: IAskedProps): React.JSX.Element {
  const { trans } = around;
  const [name, setName] = React.useState(row.name);
  const onSubmit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (name.trim() && name.trim() !== row.name) {
      onRename(row.session_id, name.trim());
    }
    onDone();
  };
  return (
    <form className="jp-pi-Session-asked" onSubmit={onSubmit}>
      <input
        className="jp-pi-Input"
        autoFocus
        value={name}
        aria-label={trans.__('Name of the session')}
        onFocus={event => event.target.select()}
        onChange={event => setName(event.target.value)}
      />
      <button className="jp-pi-Button jp-mod-accept" type="submit" disabled={!name.trim()}>
        {trans.__('Rename')}
      </button>
      <Cancel around={around} onDone={onDone} />
    </form>
  );
}

export function Delete({ row, around, onDelete, onDone }: IAskedProps): React.JSX.Element {
  const { trans } = around;
  const confirm = (): void => {
    onDelete(row.session_id);
    onDone();
  };
  return (
    <div className="jp-pi-Session-asked" role="group" aria-label={trans.__('Delete %1', row.name)}>
      <span>{trans.__('Move it to the trash?')}</span>
      <button className="jp-pi-Button jp-mod-warn" autoFocus onClick={confirm}>
        {trans.__('Delete')}
      </button>
      <Cancel around={around} onDone={onDone} />
    </div>
  );
}

export function Export({ row, around, onExport, onDone }: IAskedProps): React.JSX.Element {
  const { trans } = around;
  const choose = (format: ExportFormat): void => {
    onExport(row.session_id, format);
    onDone();
  };
  return (
    <div className="jp-pi-Session-asked" role="group" aria-label={trans.__('Export %1', row.name)}>
      <span>{trans.__('Export as')}</span>
      {FORMATS.map(([format, name], place) => (
        <button key={format} className="jp-pi-Button" autoFocus={place === 0} onClick={() => choose(format)}>
          {format === 'ipynb' ? trans.__('Notebook') : name}
        </button>
      ))}
      <Cancel around={around} onDone={onDone} />
    </div>
  );
}

function Cancel({ around, onDone }: { around: ISurroundings; onDone: () => void }): React.JSX.Element {
  return (
    <button className="jp-pi-Button" type="button" onClick={onDone}>
      {around.trans.__('Cancel')}
    </button>
  );
}
