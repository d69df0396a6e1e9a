/**
 * A divider: what stands above was summarised for the model. It opens to the summary.
 */
import * as React from 'react';

import { saidAtEnd } from '../kernel/said';
import { ICompactionSegment } from '../protocol';
import { IActions, ISurroundings } from './facts';
import { Markdown } from './markdown';
import { useMemory } from './memory';

export interface ICompactionProps {
  readonly segment: ICompactionSegment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function Compaction({ segment, around, actions }: ICompactionProps): React.JSX.Element {
  const { trans } = around;
  const { id, summary, tokens_before, tokens_after } = segment;
  const [isOpen, setOpen] = useMemory(`open ${id}`, false);
  const title =
    tokens_before > 0 && tokens_after > 0
      ? trans.__('Summarised: %1 → %2 tokens', short(tokens_before), short(tokens_after))
      : trans.__('Summarised for the model');
  return (
    <details className="jp-pi-Compaction" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{title}</span>
      </summary>
      {isOpen && (
        <div className="jp-pi-Compaction-summary">
          <Markdown text={saidAtEnd(summary, trans)} isWhole around={around} actions={actions} />
        </div>
      )}
    </details>
  );
}

/** `count` in thousands where it has them. */
function short(count: number): string {
  return count < 1000 ? count.toString() : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
