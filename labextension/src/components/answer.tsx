/**
 * A stretch of the model's answer, and how it ended when it did not end by itself.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { saidAtEnd } from '../kernel/said';
import { ITextSegment } from '../protocol';
import { IActions, ISurroundings } from './facts';
import { ForkButton } from './forkbutton';
import { CopyButton } from './iconbutton';
import { Markdown } from './markdown';

/** So ended what the model is never shown again. */
const GONE = ['failed', 'retried'];

export interface IAnswerProps {
  readonly segment: ITextSegment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function Answer({ segment, around, actions }: IAnswerProps): React.JSX.Element {
  const { trans } = around;
  const { id, text, is_whole, interrupted } = segment;
  const isOver = is_whole || interrupted !== '';
  return (
    <div className={`jp-pi-Turn ${interrupted ? 'jp-mod-interrupted' : ''}`}>
      <div className="jp-pi-Answer">
        <Markdown text={saidAtEnd(text, trans)} isWhole={isOver} around={around} actions={actions} />
        {interrupted && <div className={`jp-pi-Ending jp-mod-${interrupted}`}>{endingOf(interrupted, trans)}</div>}
      </div>
      {isOver && (
        <div className="jp-pi-Turn-tools">
          <CopyButton text={text} label={trans.__('Copy answer')} around={around} />
          {!GONE.includes(interrupted) && <ForkButton segmentId={id} around={around} actions={actions} />}
        </div>
      )}
    </div>
  );
}

function endingOf(interrupted: string, trans: TranslationBundle): string {
  switch (interrupted) {
    case 'stopped':
      return trans.__('Stopped here');
    case 'failed':
      return trans.__('Failed here');
    case 'retried':
      return trans.__('Broke off here and was asked for again');
    case 'broken':
      return trans.__('Broke off here');
    default:
      return interrupted;
  }
}
