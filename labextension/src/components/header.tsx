/**
 * Which session this is, which model answers, what it may do, and how full its context is.
 */
import { addIcon, caretDownIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { IStatusEvent } from '../protocol';
import { ITexts } from '../texts';
import { ISurroundings } from './facts';
import { Gauge } from './gauge';
import { Picker } from './picker';

export interface IHeaderProps {
  readonly status: IStatusEvent;
  /** How the session is called; empty when it has not begun. */
  readonly name: string;
  readonly modes: readonly string[];
  readonly models: readonly string[];
  readonly policies: readonly string[];
  /** True while the list of sessions is open. */
  readonly isListing: boolean;
  readonly around: ISurroundings;
  readonly onSessions: () => void;
  readonly onNew: () => void;
  readonly onChoices: () => void;
  readonly onModel: (model: string) => void;
  readonly onMode: (mode: string) => void;
  readonly onPolicy: (policy: string) => void;
  readonly onInspect: () => void;
}

export function Header(props: IHeaderProps): React.JSX.Element {
  const { status, name, around, isListing, onSessions, onNew, onInspect } = props;
  const { trans } = around;
  return (
    <div className="jp-pi-Header">
      <div className="jp-pi-Header-row">
        <button
          className="jp-pi-Header-session"
          aria-expanded={isListing}
          title={trans.__('Sessions of this folder')}
          onClick={onSessions}
        >
          <span className="jp-pi-Header-name">{name || trans.__('New session')}</span>
          <caretDownIcon.react tag="span" className="jp-pi-Picker-caret" />
        </button>
        <Gauge status={status} around={around} onInspect={onInspect} />
        <button
          className="jp-pi-IconButton"
          aria-label={trans.__('New session')}
          title={trans.__('New session')}
          onClick={onNew}
        >
          <addIcon.react tag="span" />
        </button>
      </div>
      <Choices {...props} />
    </div>
  );
}

function Choices(props: IHeaderProps): React.JSX.Element {
  const { status, modes, models, policies, around, onChoices, onModel, onMode, onPolicy } = props;
  const { trans } = around;
  return (
    <div className="jp-pi-Header-row">
      <Picker
        id="jp-pi-model"
        label={trans.__('Model')}
        hint={trans.__('Search, or type a name')}
        value={status.model}
        choices={models}
        onOpen={onChoices}
        onChoose={onModel}
      />
      <select
        className="jp-pi-Choice"
        value={status.mode}
        aria-label={trans.__('Mode')}
        title={trans.__('What the agent may do without asking')}
        onChange={event => onMode(event.target.value)}
      >
        {modes.map(mode => (
          <option key={mode} value={mode}>
            {modeName(mode, trans)}
          </option>
        ))}
      </select>
      <Picker
        id="jp-pi-policy"
        label={trans.__('Context policy')}
        hint={trans.__('Search, or type a name')}
        value={status.policy}
        choices={policies}
        isQuiet
        onOpen={onChoices}
        onChoose={onPolicy}
      />
    </div>
  );
}

function modeName(mode: string, texts: ITexts): string {
  switch (mode) {
    case 'plan':
      return texts.__('plan');
    case 'ask':
      return texts.__('ask');
    case 'auto-edit':
      return texts.__('auto-edit');
    case 'auto':
      return texts.__('auto');
    default:
      return mode;
  }
}
