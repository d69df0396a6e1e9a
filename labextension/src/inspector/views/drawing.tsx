/**
 * The timeline as an SVG: bounds, sizes, what happened, and where the choice stands.
 */
import * as React from 'react';

import { ITimelinePoint } from '../../protocol';
import { count, shortCount } from '../amounts';
import { areaPath, downsample, IFrame, linePath, marks, xOf, yOf } from '../chart';
import { Choice } from '../state';
import { IChartProps } from './chart';
import { IView } from './view';

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

interface IPointsProps {
  readonly timeline: readonly ITimelinePoint[];
  readonly frame: IFrame;
}

const Points = React.memo(
  function Points({ timeline, frame }: IPointsProps): React.JSX.Element {
    const drawn = downsample(timeline, Math.max(1, Math.floor(frame.width / 2)));
    const compacted = marks(timeline, frame, point => point.compactions > 0);
    const edited = marks(timeline, frame, point => point.edits > 0);
    const ended = marks(timeline, frame, point => point.outcome !== 'done');
    return (
      <>
        <path className="jp-pi-Chart-area" d={areaPath(drawn, frame)} />
        <path className="jp-pi-Chart-line" d={linePath(drawn, frame)} />
        {timeline.length === 1 && (
          <circle className="jp-pi-Chart-dot" cx={xOf(timeline[0]!.number, frame)} cy={yOf(timeline[0]!.tokens, frame)} r={3} />
        )}
        {compacted.map(({ number }) => (
          <line key={number} className="jp-pi-Chart-compaction" x1={xOf(number, frame)} x2={xOf(number, frame)} y1={0} y2={frame.height} />
        ))}
        {edited.map(({ number }) => (
          <path key={number} className="jp-pi-Chart-edit" d={`M${xOf(number, frame)},${frame.height}l-4,6h8z`} />
        ))}
        {ended.map(({ number, tokens }) => (
          <path
            key={number}
            className="jp-pi-Chart-ended"
            d={`M${xOf(number, frame) - 3},${yOf(tokens, frame) - 3}l6,6m0,-6l-6,6`}
          />
        ))}
      </>
    );
  },
  (before, after) => before.timeline === after.timeline && JSON.stringify(before.frame) === JSON.stringify(after.frame)
);

function Cursor({ x, name }: { readonly x: number; readonly name: 'chosen' | 'compared' }): React.JSX.Element {
  return (
    <g className={`jp-pi-Chart-cursor jp-mod-${name}`}>
      <line x1={x} x2={x} y1={-4} y2={HEIGHT} />
      <path d={`M${x - 5},${-TOP + 4}h10l-5,8z`} />
    </g>
  );
}

export function ChartLegend({ around }: IView): React.JSX.Element {
  const { texts } = around;
  return (
    <span className="jp-pi-Chart-legend">
      <span data-mark="size">{texts.__('tokens sent')}</span>
      <span data-mark="compaction">{texts.__('compaction')}</span>
      <span data-mark="edit">{texts.__('pruning or edit')}</span>
      <span data-mark="ended">{texts.__('stopped or failed')}</span>
    </span>
  );
}
