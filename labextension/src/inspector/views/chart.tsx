/**
 * The timeline's drawing, in which a request is chosen by pointing or by arrow keys.
 */
import * as React from 'react';

import { ISizes, ITimelinePoint } from '../../protocol';
import { count, shortCount, wholeMoment } from '../amounts';
import { areaPath, downsample, IFrame, linePath, marks, niceTop, numberAt, xOf, yOf } from '../chart';
import { Choice } from '../state';
import { IView } from './view';

const HEIGHT = 150;
const LEFT = 44;
const RIGHT = 12;
const TOP = 18;
const BOTTOM = 20;
const PAGE = 10;

export interface IChartProps extends IView {
  readonly timeline: readonly ITimelinePoint[];
  /** Of the request that would be sent next, when they are known. */
  readonly next: ISizes | null;
}

export function Chart(view: IChartProps): React.JSX.Element {
  const { state, around, send, timeline, next } = view;
  const { texts } = around;
  const [host, width] = useWidth();
  const [isWhole, setWhole] = React.useState(true);
  const frame = frameOf(timeline, next, width, isWhole);
  const choose = (number: number, isCompared: boolean): void => {
    const choice: Choice = number >= frame.last ? null : number;
    send(isCompared ? { type: 'compare', number: choice } : { type: 'choose', number: choice });
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const from = event.shiftKey && state.compared !== undefined ? state.compared : state.number;
    const number = numberAfter(event.key, from ?? frame.last, frame);
    if (number !== null) {
      event.preventDefault();
      choose(number, event.shiftKey);
    }
  };
  const onClick = (event: React.MouseEvent): void => {
    const { left } = host.current!.getBoundingClientRect();
    choose(numberAt(event.clientX - left - LEFT, frame), event.shiftKey);
  };
  const chosen = timeline.find(({ number }) => number === state.number);
  return (
    <figure className="jp-pi-Chart">
      <figcaption className="jp-pi-Inspector-row">
        <ChartLegend {...view} />
        <label className="jp-pi-Inspector-row">
          <input type="checkbox" checked={isWhole} onChange={event => setWhole(event.target.checked)} />
          {texts.__('scale to the window')}
        </label>
      </figcaption>
      <div
        ref={host}
        className="jp-pi-Chart-drawing"
        role="slider"
        tabIndex={0}
        aria-label={texts.__('Request')}
        aria-valuemin={frame.first}
        aria-valuemax={frame.last}
        aria-valuenow={state.number ?? frame.last}
        aria-valuetext={valueText(view, chosen)}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <Drawing {...view} frame={frame} />
      </div>
    </figure>
  );
}

/** What depends on the choice is drawn over what does not, so that choosing draws no line again. */
function Drawing(view: IChartProps & { readonly frame: IFrame }): React.JSX.Element {
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

function ChartLegend({ around }: IView): React.JSX.Element {
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

function frameOf(timeline: readonly ITimelinePoint[], next: ISizes | null, width: number, isWhole: boolean): IFrame {
  const sizes = timeline.map(point => (isWhole ? Math.max(point.tokens, point.context_window) : point.tokens));
  const last = timeline[timeline.length - 1]!;
  const nextSize = next ? Math.max(next.tokens, isWhole ? next.context_window : 0) : 0;
  return {
    width: Math.max(100, width - LEFT - RIGHT),
    height: HEIGHT,
    first: timeline[0]!.number,
    last: last.number + 1,
    top: niceTop(sizes.reduce((top, size) => Math.max(top, size), nextSize))
  };
}

/** The number that `key` leads to from `number`; `null` for keys that lead nowhere. */
export function numberAfter(key: string, number: number, { first, last }: IFrame): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -PAGE,
    PageUp: PAGE,
    Home: first - number,
    End: last - number
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(last, Math.max(first, number + step));
}

function valueText({ around, next }: IChartProps, chosen: ITimelinePoint | undefined): string {
  const { texts } = around;
  return chosen
    ? texts.__('Request %1: %2 tokens, %3', count(chosen.number), count(chosen.tokens), wholeMoment(chosen.time))
    : texts.__('Next request: %1 tokens', count(next?.tokens ?? 0));
}

/** An element and its width, as it changes. */
function useWidth(): [React.RefObject<HTMLDivElement>, number] {
  const host = React.useRef<HTMLDivElement>(null);
  const [width, setWidth] = React.useState(600);
  React.useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, []);
  return [host, width];
}
