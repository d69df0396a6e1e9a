/**
 * What the model thought, folded.
 */
import * as React from 'react';

import { saidAtEnd } from '../kernel/said';
import { IThinkingSegment } from '../protocol';
import { IActions, ISurroundings } from './facts';
import { Markdown } from './markdown';
import { useMemory, useSeconds } from './memory';

export interface IThinkingProps {
  readonly segment: IThinkingSegment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function Thinking({ segment, around, actions }: IThinkingProps): React.JSX.Element {
  const { trans } = around;
  const { id, text, is_whole } = segment;
  const [isOpen, setOpen] = useMemory(`open ${id}`, false);
  const seconds = useSeconds(id, !is_whole);
  const count = seconds === null ? '' : Math.max(1, Math.round(seconds)).toString();
  const title = is_whole
    ? count
      ? trans.__('Thought for %1 s', count)
      : trans.__('Thought')
    : trans.__('Thinking … %1 s', count);
  return (
    <details className="jp-pi-Thinking" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="jp-pi-faint">{title}</summary>
      {isOpen && <Markdown text={saidAtEnd(text, trans)} isWhole={is_whole} around={around} actions={actions} />}
    </details>
  );
}
