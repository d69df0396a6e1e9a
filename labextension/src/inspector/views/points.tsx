/**
 * The sizes of the requests as a line, with marks where something happened; and what the marks mean.
 */
import * as React from 'react';

import { ITimelinePoint } from '../../protocol';
import { areaPath, downsample, IFrame, linePath, marks, xOf, yOf } from '../chart';
import { IView } from './view';

interface IPointsProps {
  readonly timeline: readonly ITimelinePoint[];
  readonly frame: IFrame;
}

export const Points = React.memo(
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
