/**
 * The timeline as an SVG: bounds, sizes, what happened, and where the choice stands.
 */
import * as React from 'react';

import { count, shortCount } from '../amounts';
import { IFrame, xOf, yOf } from '../chart';
import { Choice } from '../state';
import { IChartProps } from './chart';
import { Points } from './points';

/** In pixels; what stands around the frame is for labels. */
export const HEIGHT = 150;
export const LEFT = 44;
export const RIGHT = 12;
const TOP = 18;
const BOTTOM = 20;

/** What depends on the choice is drawn over what does not, so that choosing draws no line again. */
export function Drawing(view: IChartProps & { readonly frame: IFrame }): React.JSX.Element {
  const { state, around, timeline, next, frame } = view;
  const { texts } = around;
  const x = (number: Choice): number => xOf(number ?? frame.last, frame);
  const lines = [
    { name: 'window', label: texts.__('window'), tokens: next?.context_window ?? timeline[timeline.length - 1]!.context_window },
    { name: 'threshold', label: texts.__('compaction'), tokens: next?.trigger ?? 0 }
  ].filter(({ tokens }) => tokens > 0 && tokens <= frame.top);
  return (
    <svg width={frame.width + LEFT + RIGHT} height={HEIGHT + TOP + BOTTOM} aria-hidden="true">
      <g transform={`translate(${LEFT} ${TOP})`}>
        {[0, frame.top / 2, frame.top].map(tokens => (
          <g key={tokens} className="jp-pi-Chart-tick">
            <line x1={0} x2={frame.width} y1={yOf(tokens, frame)} y2={yOf(tokens, frame)} />
            <text x={-6} y={yOf(tokens, frame)} dy="0.32em" textAnchor="end">
              {shortCount(tokens)}
            </text>
          </g>
        ))}
        <Points timeline={timeline} frame={frame} />
        {lines.map(({ name, label, tokens }) => (
          <g key={name} className={`jp-pi-Chart-bound jp-mod-${name}`}>
            <line x1={0} x2={frame.width} y1={yOf(tokens, frame)} y2={yOf(tokens, frame)} />
            <text x={4} y={yOf(tokens, frame) + (name === 'window' ? -4 : 12)}>
              {label}
            </text>
          </g>
        ))}
        {next && (
          <circle className="jp-pi-Chart-next" cx={x(null)} cy={yOf(next.tokens, frame)} r={3.5}>
            <title>{texts.__('Next request: %1 tokens', count(next.tokens))}</title>
          </circle>
        )}
        <Cursor x={x(state.number)} name="chosen" />
        {state.compared !== undefined && <Cursor x={x(state.compared)} name="compared" />}
        <text className="jp-pi-Chart-label" x={0} y={HEIGHT + 15}>
          {count(frame.first)}
        </text>
        <text className="jp-pi-Chart-label" x={frame.width} y={HEIGHT + 15} textAnchor="end">
          {texts.__('next')}
        </text>
      </g>
    </svg>
  );
}

function Cursor({ x, name }: { readonly x: number; readonly name: 'chosen' | 'compared' }): React.JSX.Element {
  return (
    <g className={`jp-pi-Chart-cursor jp-mod-${name}`}>
      <line x1={x} x2={x} y1={-4} y2={HEIGHT} />
      <path d={`M${x - 5},${-TOP + 4}h10l-5,8z`} />
    </g>
  );
}
