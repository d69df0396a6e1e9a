/**
 * One segment of the conversation: what was asked, what was answered, what was run.
 */
import * as React from 'react';

import { ICallSegment, INoticeSegment, ITextSegment, Segment } from '../protocol';
import { ISurroundings } from './facts';
import { Markdown } from './markdown';

export interface ISegmentProps {
  readonly segment: Segment;
  readonly around: ISurroundings;
}

/** A segment; it is drawn anew only when it has changed. */
export const SegmentView = React.memo(({ segment, around }: ISegmentProps): React.JSX.Element => {
  switch (segment.type) {
    case 'prompt':
      return <div className="jp-pi-Prompt">{segment.text}</div>;
    case 'text':
      return <Text segment={segment} around={around} />;
    case 'call':
      return <Call segment={segment} around={around} />;
    case 'thinking':
      return <Folded title={around.trans.__('Thinking')} text={segment.text} around={around} />;
    case 'compaction':
      return <Folded title={around.trans.__('Summarised for the model')} text={segment.summary} around={around} />;
    case 'notice':
      return <Notice segment={segment} />;
  }
});

function Text({ segment, around }: { segment: ITextSegment; around: ISurroundings }): React.JSX.Element {
  const { trans, rendermime } = around;
  const endings: Record<string, string> = {
    stopped: trans.__('stopped here'),
    failed: trans.__('failed here')
  };
  return (
    <div className="jp-pi-Answer">
      <Markdown text={segment.text} rendermime={rendermime} />
      {segment.interrupted && <div className="jp-pi-faint">({endings[segment.interrupted] ?? segment.interrupted})</div>}
    </div>
  );
}

function Folded({ title, text, around }: { title: string; text: string; around: ISurroundings }): React.JSX.Element {
  return (
    <details className="jp-pi-Folded">
      <summary className="jp-pi-faint">{title}</summary>
      <Markdown text={text} rendermime={around.rendermime} />
    </details>
  );
}

function Call({ segment, around }: { segment: ICallSegment; around: ISurroundings }): React.JSX.Element {
  const { trans } = around;
  const failed = segment.state === 'failed';
  return (
    <details className={`jp-pi-Call jp-mod-${segment.state}`} open>
      <summary className="jp-pi-Call-heading">
        <span className="jp-pi-Call-tool">{segment.tool}</span>
        <span className="jp-pi-faint">{stateOf(segment, around)}</span>
      </summary>
      {segment.given && <pre className="jp-pi-Code">{segment.given}</pre>}
      {segment.hidden_lines > 0 && (
        <div className="jp-pi-faint">
          {segment.path
            ? trans.__('… %1 lines above; all of it: %2', segment.hidden_lines.toLocaleString(), segment.path)
            : trans.__('… %1 lines above', segment.hidden_lines.toLocaleString())}
        </div>
      )}
      {segment.output && (
        <pre className={`jp-pi-Output ${failed ? 'jp-mod-error' : ''}`} aria-label={trans.__('Output')}>
          {segment.output}
        </pre>
      )}
    </details>
  );
}

function stateOf(segment: ICallSegment, { trans }: ISurroundings): string {
  const seconds = trans.__('%1 s', segment.seconds.toFixed(1));
  switch (segment.state) {
    case 'running':
      return trans.__('running');
    case 'failed':
      return `${seconds} · ${trans.__('failed')}`;
    case 'done':
      return seconds;
  }
}

function Notice({ segment }: { segment: INoticeSegment }): React.JSX.Element {
  return (
    <div className={segment.is_warning ? 'jp-pi-Notice jp-mod-error' : 'jp-pi-Notice jp-pi-faint'}>{segment.text}</div>
  );
}
