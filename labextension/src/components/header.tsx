/**
 * Which model answers, what it may do, and how full its context is.
 */
import * as React from 'react';

import { IStatusEvent } from '../protocol';
import { ISurroundings } from './facts';

export interface IHeaderProps {
  readonly status: IStatusEvent;
  readonly modes: readonly string[];
  readonly around: ISurroundings;
  readonly onMode: (mode: string) => void;
}

export function Header({ status, modes, around, onMode }: IHeaderProps): React.JSX.Element {
  const { trans } = around;
  return (
    <div className="jp-pi-Header">
      <span className="jp-pi-Header-model" title={trans.__('The model; %1 chooses another', '%agent model NAME')}>
        {status.model}
      </span>
      <select
        className="jp-pi-Header-mode"
        value={status.mode}
        onChange={event => onMode(event.target.value)}
        aria-label={trans.__('Mode')}
        title={trans.__('What the agent may do without asking')}
      >
        {modes.map(mode => (
          <option key={mode} value={mode}>
            {mode}
          </option>
        ))}
      </select>
      <Gauge status={status} around={around} />
    </div>
  );
}

function Gauge({ status, around }: { status: IStatusEvent; around: ISurroundings }): React.JSX.Element {
  const { trans } = around;
  const { context_tokens: tokens, context_window: room } = status;
  const percent = room > 0 ? Math.min(100, (100 * tokens) / room) : 0;
  const text = trans.__('%1 of %2 tokens', tokens.toLocaleString(), room.toLocaleString());
  return (
    <div
      className="jp-pi-Gauge"
      role="meter"
      aria-label={trans.__('Context')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      aria-valuetext={text}
      title={trans.__('Context: %1', text)}
    >
      <div className="jp-pi-Gauge-bar">
        <div className={`jp-pi-Gauge-fill ${percent >= 75 ? 'jp-mod-warn' : ''}`} style={{ width: `${percent}%` }} />
      </div>
      <span className="jp-pi-faint">{percent.toFixed(percent < 10 ? 1 : 0)} %</span>
    </div>
  );
}
