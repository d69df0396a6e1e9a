/**
 * A tool call as a card: what was run, what it put out, and how long it took.
 */
import { checkIcon, closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { saidAtEnd } from '../kernel/said';
import { ICallSegment } from '../protocol';
import { Code } from './code';
import { Drawn } from './drawn';
import { IActions, ISurroundings } from './facts';
import { ForkButton } from './forkbutton';
import { useMemory, useSeconds } from './memory';
import { Output } from './output';
import { Pictures } from './pictures';

const LANGUAGES: Readonly<Record<string, string>> = { run_code: 'python', bash: 'bash', edit: 'diff' };

export interface ICallProps {
  readonly segment: ICallSegment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function Call({ segment, around, actions }: ICallProps): React.JSX.Element {
  const { trans } = around;
  const { id, tool, given, state, images } = segment;
  const [isOpen, setOpen] = useMemory(`open ${id}`, true);
  const drawn = actions.outputsOf(segment);
  return (
    <div className="jp-pi-Turn">
      <details
        className={`jp-pi-Call jp-mod-${state}`}
        open={isOpen}
        onToggle={event => setOpen(event.currentTarget.open)}
      >
        <summary className="jp-pi-Call-heading">
          <State state={state} around={around} />
          <span className="jp-pi-Call-tool" title={tool}>
            {tool}
          </span>
          <span className="jp-pi-Call-glance">{isOpen ? '' : glance(given)}</span>
          <Duration segment={segment} around={around} />
        </summary>
        {isOpen && (
          <div className="jp-pi-Call-body">
            {given && (
              <Code
                code={saidAtEnd(given, trans)}
                language={LANGUAGES[tool] ?? ''}
                label={trans.__('Code')}
                around={around}
              />
            )}
            <Output segment={segment} around={around} actions={actions} />
            {drawn ? (
              <Drawn model={drawn} around={around} />
            ) : (
              <Pictures images={images} alt={trans.__('Picture that %1 drew', tool)} />
            )}
          </div>
        )}
      </details>
      {state !== 'running' && (
        <div className="jp-pi-Turn-tools jp-mod-above">
          <ForkButton segmentId={id} around={around} actions={actions} />
        </div>
      )}
    </div>
  );
}

interface IStateProps {
  readonly state: ICallSegment['state'];
  readonly around: ISurroundings;
}

function State({ state, around }: IStateProps): React.JSX.Element {
  const { trans } = around;
  const names = { running: trans.__('running'), done: trans.__('done'), failed: trans.__('failed') };
  return (
    <span className="jp-pi-Call-state" role="img" aria-label={names[state]}>
      {state === 'running' && <span className="jp-pi-Spinner" />}
      {state === 'done' && <checkIcon.react tag="span" />}
      {state === 'failed' && <closeIcon.react tag="span" />}
    </span>
  );
}

function Duration({ segment, around }: Omit<ICallProps, 'actions'>): React.JSX.Element {
  const { trans } = around;
  const isRunning = segment.state === 'running';
  const seen = useSeconds(segment.id, isRunning);
  const text = isRunning ? Math.floor(segment.seconds + (seen ?? 0)).toString() : segment.seconds.toFixed(1);
  return (
    <span className="jp-pi-Call-duration jp-pi-faint">
      {segment.state === 'failed' ? trans.__('failed · %1 s', text) : trans.__('%1 s', text)}
    </span>
  );
}

/** The first line that says something. */
function glance(given: string): string {
  return given.split('\n').find(line => line.trim() !== '') ?? '';
}
