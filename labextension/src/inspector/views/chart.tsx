/**
 * The timeline's drawing, in which a request is chosen by pointing or by arrow keys.
 */
import * as React from 'react';

import { ISizes, ITimelinePoint } from '../../protocol';
import { count, wholeMoment } from '../amounts';
import { IFrame, niceTop, numberAt } from '../chart';
import { Choice } from '../state';
import { Drawing, HEIGHT, LEFT, RIGHT } from './drawing';
import { ChartLegend } from './points';
import { IView } from './view';

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
