/**
 * What a call put out: its end as it grows, and all of it when it is asked for.
 */
import * as React from 'react';

import { visible, withoutColours } from '../kernel/message';
import { ICallSegment, IOutputReply } from '../protocol';
import { said } from '../kernel/said';
import { IActions, ISurroundings } from './facts';
import { CopyButton } from './iconbutton';
import { useMemory } from './memory';

export interface IOutputProps {
  readonly segment: ICallSegment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function Output({ segment, around, actions }: IOutputProps): React.JSX.Element {
  const { trans } = around;
  const { id, output, hidden_lines, state } = segment;
  const [whole, setWhole] = useMemory<IOutputReply | null>(`output ${id}`, null);
  const [problem, setProblem] = React.useState('');
  const onOpen = (): void => {
    setProblem('');
    actions.onOutput(id).then(setWhole, (reason: Error) => setProblem(reason.message));
  };
  const isWhole = whole !== null && state !== 'running';
  const text = withoutColours(isWhole ? whole.text : output);
  const pre = React.useRef<HTMLPreElement>(null);
  React.useLayoutEffect(() => {
    if (pre.current && !isWhole) {
      pre.current.scrollTop = pre.current.scrollHeight;
    }
  }, [text, isWhole]);
  return (
    <>
      {hidden_lines > 0 && (
        <div className="jp-pi-Output-more jp-pi-faint">
          {isWhole ? (
            <Path reply={whole} around={around} />
          ) : (
            <span>{trans.__('… %1 lines above', hidden_lines.toLocaleString())}</span>
          )}
          {state !== 'running' && (
            <button type="button" className="jp-pi-Link" onClick={isWhole ? () => setWhole(null) : onOpen}>
              {isWhole ? trans.__('Show the end only') : trans.__('Open full output')}
            </button>
          )}
          {state !== 'running' && (
            <button type="button" className="jp-pi-Link" onClick={() => actions.onOutputTab(segment)}>
              {trans.__('Open in a tab')}
            </button>
          )}
        </div>
      )}
      {problem && <div className="jp-pi-Notice jp-mod-error">{said(problem, trans)}</div>}
      {text && (
        <div className="jp-pi-CodeBlock">
          <pre
            ref={pre}
            className={`jp-pi-Output ${state === 'failed' ? 'jp-mod-error' : ''} ${isWhole ? 'jp-mod-whole' : ''}`}
            tabIndex={0}
            aria-label={trans.__('Output')}
          >
            {visible(text)}
          </pre>
          {state !== 'running' && (
            <div className="jp-pi-CodeBlock-tools">
              <CopyButton text={text} label={trans.__('Copy output')} around={around} />
            </div>
          )}
        </div>
      )}
    </>
  );
}

/** Where all of an output is when a message has no room for it. */
function Path({ reply, around }: { reply: IOutputReply; around: ISurroundings }): React.JSX.Element {
  const { trans } = around;
  if (!reply.is_cut) {
    return <span>{trans.__('All of the output')}</span>;
  }
  return (
    <span>
      {reply.path ? trans.__('Too long for here; all of it is in %1', reply.path) : trans.__('Too long to show all of it')}
    </span>
  );
}
