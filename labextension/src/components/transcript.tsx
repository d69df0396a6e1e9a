/**
 * The conversation, newest at the bottom, of which only what is in view is drawn.
 */
import { caretDownIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Segment } from '../protocol';
import { Row, rowsOf } from '../conversation/rows';
import { Aloud } from './aloud';
import { Calls } from './calls';
import { Earlier } from './earlier';
import { IActions, ISurroundings } from './facts';
import { MemoryProvider } from './memory';
import { useScrolling } from './scrolling';
import { SegmentView } from './segment';

export interface ITranscriptProps {
  readonly segments: readonly Segment[];
  readonly isShortened: boolean;
  readonly isRunning: boolean;
  /** What its rows remember; it outlives them. */
  readonly memory: Map<string, unknown>;
  readonly around: ISurroundings;
  readonly actions: IActions;
  /** What stands below the last segment: a question. */
  readonly children?: React.ReactNode;
}

/** It belongs to one session: another has another `key`. */
export function Transcript(props: ITranscriptProps): React.JSX.Element {
  const { segments, isShortened, isRunning, memory, around, actions, children } = props;
  const { trans } = around;
  const before = React.useRef<readonly Row[]>([]);
  const rows = (before.current = React.useMemo(() => rowsOf(segments, before.current), [segments]));
  const scrolling = useScrolling(rows, isShortened, actions);
  return (
    <MemoryProvider value={memory}>
      <div className="jp-pi-Transcript">
        <div
          className="jp-pi-Transcript-scroller"
          ref={scrolling.scroller}
          role="log"
          // What is new is read by `Aloud`.
          aria-live="off"
          aria-busy={isRunning}
          aria-label={trans.__('Conversation')}
          tabIndex={0}
          onFocus={scrolling.onFocus}
          onScroll={scrolling.onScroll}
        >
          <div className="jp-pi-Transcript-rows" style={{ height: scrolling.height }}>
            {isShortened && <Earlier scrolling={scrolling} around={around} />}
            {scrolling.items.map(item => (
              <div
                key={item.key}
                ref={scrolling.measure}
                data-index={item.index}
                className="jp-pi-Row"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {item.index < rows.length ? (
                  <RowView row={rows[item.index]!} around={around} actions={actions} />
                ) : (
                  <>
                    {segments.length === 0 && !isRunning && <Welcome around={around} />}
                    {children}
                  </>
                )}
              </div>
            ))}
          </div>
        </div>
        {!scrolling.isAtEnd && (
          <button type="button" className="jp-pi-Jump" onClick={scrolling.jump}>
            <caretDownIcon.react tag="span" />
            {trans.__('Jump to the newest')}
          </button>
        )}
        <Aloud segments={segments} around={around} />
      </div>
    </MemoryProvider>
  );
}

interface IRowProps {
  readonly row: Row;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

function RowView({ row, around, actions }: IRowProps): React.JSX.Element {
  return row.kind === 'calls' ? (
    <Calls id={row.key} steps={row.steps} around={around} actions={actions} />
  ) : (
    <SegmentView segment={row.segment} around={around} actions={actions} />
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
