/**
 * Many calls between two answers, folded into one line.
 */
import * as React from 'react';

import { Step } from '../conversation/rows';
import { Call } from './call';
import { IActions, ISurroundings } from './facts';
import { ForkButton } from './forkbutton';
import { useMemory } from './memory';
import { Thinking } from './thinking';

export interface ICallsProps {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export const Calls = React.memo(({ id, steps, around, actions }: ICallsProps): React.JSX.Element => {
  const { trans } = around;
  const [isOpen, setOpen] = useMemory(`open ${id}`, false);
  const calls = steps.filter(step => step.type === 'call');
  const failed = calls.filter(step => step.type === 'call' && step.state === 'failed').length;
  return (
    <div className="jp-pi-Turn">
      <details className="jp-pi-Calls" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary className="jp-pi-Calls-heading">
          {trans._n('%1 tool call', '%1 tool calls', calls.length)}
          {failed > 0 && <span className="jp-pi-faint">{trans.__(' · %1 failed', failed)}</span>}
        </summary>
        {isOpen &&
          steps.map(step =>
            step.type === 'call' ? (
              <Call key={step.id} segment={step} around={around} actions={actions} />
            ) : (
              <Thinking key={step.id} segment={step} around={around} actions={actions} />
            )
          )}
      </details>
      <div className="jp-pi-Turn-tools jp-mod-above">
        <ForkButton segmentId={calls[calls.length - 1]!.id} around={around} actions={actions} />
      </div>
    </div>
  );
});
