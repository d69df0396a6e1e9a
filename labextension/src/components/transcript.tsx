/**
 * The conversation, newest at the bottom; it follows what is added while its end is in view.
 */
import * as React from 'react';

import { Segment } from '../protocol';
import { ISurroundings } from './facts';
import { SegmentView } from './segment';

/** How far from the end a person may be and still be taken to read there. */
const NEAR_PIXELS = 40;

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
  const end = useFollowedEnd();
  return (
    <div
      className="jp-pi-Transcript"
      ref={end}
      role="log"
      tabIndex={0}
      aria-label={trans.__('Conversation')}
      aria-busy={isRunning}
    >
      <div>
        {isShortened && <div className="jp-pi-faint">{trans.__('Older parts are in the session file.')}</div>}
        {segments.length === 0 && <Welcome around={around} />}
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

/** Keeps an element's end in view while its content grows, unless the person has scrolled away. */
function useFollowedEnd(): React.RefCallback<HTMLDivElement> {
  const stop = React.useRef<() => void>(() => undefined);
  return React.useCallback((element: HTMLDivElement | null) => {
    stop.current();
    if (!element) {
      return;
    }
    let isFollowed = true;
    const onScroll = (): void => {
      isFollowed = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PIXELS;
    };
    const observer = new ResizeObserver(() => {
      if (isFollowed) {
        element.scrollTop = element.scrollHeight;
      }
    });
    element.addEventListener('scroll', onScroll);
    observer.observe(element.firstElementChild!);
    observer.observe(element);
    stop.current = () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, []);
}
