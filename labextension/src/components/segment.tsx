/**
 * One segment of the conversation, in the form that it has.
 */
import * as React from 'react';

import { said } from '../kernel/said';
import { INoticeSegment, Segment } from '../protocol';
import { Answer } from './answer';
import { Call } from './call';
import { Compaction } from './compaction';
import { IActions, ISurroundings } from './facts';
import { Prompt } from './prompt';
import { Thinking } from './thinking';

export interface ISegmentProps {
  readonly segment: Segment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

/** A segment; it is drawn anew only when it has changed. */
export const SegmentView = React.memo(({ segment, around, actions }: ISegmentProps): React.JSX.Element | null => {
  switch (segment.type) {
    case 'prompt':
      return <Prompt segment={segment} around={around} actions={actions} />;
    case 'text':
      return <Answer segment={segment} around={around} actions={actions} />;
    case 'call':
      return <Call segment={segment} around={around} actions={actions} />;
    case 'thinking':
      return <Thinking segment={segment} around={around} actions={actions} />;
    case 'compaction':
      return <Compaction segment={segment} around={around} actions={actions} />;
    case 'notice':
      return <Notice segment={segment} around={around} />;
    default:
      // A newer kernel may have segments that this panel does not know.
      return null;
  }
});

interface INoticeProps {
  readonly segment: INoticeSegment;
  readonly around: ISurroundings;
}

function Notice({ segment, around }: INoticeProps): React.JSX.Element {
  const kind = segment.is_warning ? 'jp-mod-error' : 'jp-pi-faint';
  return <div className={`jp-pi-Notice ${kind}`}>{said(segment.text, around.trans)}</div>;
}
