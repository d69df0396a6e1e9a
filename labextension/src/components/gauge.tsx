/**
 * How full the context is, where it is compacted, and what the session has cost; opens the inspector.
 */
import * as React from 'react';

import { IStatusEvent } from '../protocol';
import { ISurroundings } from './facts';

export interface IGaugeProps {
  readonly status: IStatusEvent;
  readonly around: ISurroundings;
  readonly onInspect: () => void;
}

/** `part` of `whole` in per cent, 100 at most; 0 while the whole is not known. */
export function percentOf(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, (100 * part) / whole) : 0;
}

/** A cost as it is shown, with as many digits as say something. */
export function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? '< $0.01' : `$${cost.toFixed(2)}`;
}

export function Gauge({ status, around, onInspect }: IGaugeProps): React.JSX.Element {
  const percent = percentOf(status.context_tokens, status.context_window);
  const threshold = percentOf(status.context_trigger, status.context_window);
  const isNear = threshold > 0 && percent >= 0.9 * threshold;
  const text = sentence(status, percent, around);
  return (
    <button className="jp-pi-Gauge" aria-label={text} title={text} onClick={onInspect}>
      <span className="jp-pi-Gauge-bar">
        <span className={`jp-pi-Gauge-fill ${isNear ? 'jp-mod-warn' : ''}`} style={{ width: `${percent}%` }} />
        {threshold > 0 && <span className="jp-pi-Gauge-threshold" style={{ left: `${threshold}%` }} />}
      </span>
      <span className="jp-pi-faint">{status.is_compacting ? '…' : shown(percent)}</span>
      {status.cost_usd !== null && status.cost_usd > 0 && (
        <span className="jp-pi-faint">{dollars(status.cost_usd)}</span>
      )}
    </button>
  );
}

function shown(percent: number): string {
  return `${percent.toFixed(percent > 0 && percent < 10 ? 1 : 0)} %`;
}

function sentence(status: IStatusEvent, percent: number, { trans }: ISurroundings): string {
  const number = (value: number): string => value.toLocaleString();
  const parts = [
    trans.__(
      'Context: %1 of %2 tokens (%3)',
      number(status.context_tokens),
      number(status.context_window),
      shown(percent)
    ),
    status.context_trigger > 0 ? trans.__('it is compacted at %1', number(status.context_trigger)) : '',
    status.is_compacting ? trans.__('it is being compacted now') : '',
    status.cost_usd !== null ? trans.__('cost so far: %1', dollars(status.cost_usd)) : ''
  ];
  return parts.filter(Boolean).join('; ');
}
