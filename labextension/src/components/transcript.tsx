/**
 * The conversation, newest at the bottom. That its end stays in view while it grows is the style's doing.
 */
import * as React from 'react';

import { Segment } from '../protocol';
import { ISurroundings } from './facts';
import { SegmentView } from './segment';

export interface ITranscriptProps {
  readonly segments: readonly Segment[];
  readonly isShortened: boolean;
  readonly isRunning: boolean;
  readonly around: ISurroundings;
  /** What stands below the last segment: a question. */
  readonly children?: React.ReactNode;
}

export function Transcript(props: ITranscriptProps): React.JSX.Element {
  const { segments, isShortened, isRunning, around, children } = props;
  const { trans } = around;
  return (
    <div
      className="jp-pi-Transcript"
      role="log"
      tabIndex={0}
      aria-label={trans.__('Conversation')}
      aria-busy={isRunning}
    >
      <div>
        {isShortened && <div className="jp-pi-faint">{trans.__('Older parts are in the session file.')}</div>}
        {segments.length === 0 && !isRunning && <Welcome around={around} />}
        {segments.map(segment => (
          <SegmentView key={segment.id} segment={segment} around={around} />
        ))}
        {children}
      </div>
    </div>
  );
}

function Welcome({ around }: { around: ISurroundings }): React.JSX.Element {
  const { trans } = around;
  return (
    <p className="jp-pi-Welcome jp-pi-faint">
      {trans.__(
        'Ask about your data, or what to do with it. The agent sees this notebook’s variables and runs code in its kernel; it asks first.'
      )}
    </p>
  );
}
