/**
 * The row below the box: what the keys do, attaching, and sending or stopping.
 */
import { runIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { attachIcon, sendIcon } from '../icons';
import { IComposerProps } from './composer';

export function ComposerButtons(props: IComposerProps): React.JSX.Element {
  const { draft, isReady, isRunning, canContinue, around, onSend, onStop, onContinue, onAttach } = props;
  const { trans } = around;
  const canSend = isReady && !draft.isEmpty;
  return (
    <div className="jp-pi-Composer-row">
      <button
        className="jp-pi-IconButton"
        disabled={!isReady}
        aria-label={trans.__('Attach the selected cells')}
        title={trans.__('Attach the selected cells')}
        onClick={onAttach}
      >
        <attachIcon.react tag="span" />
      </button>
      <span className="jp-pi-Composer-hint jp-pi-faint">{hint(props)}</span>
      {isRunning && (
        <button className="jp-pi-Button jp-mod-stop" onClick={onStop} title={trans.__('Stop the run')}>
          <stopIcon.react tag="span" />
          {trans.__('Stop')}
        </button>
      )}
      {!isRunning && canContinue && draft.isEmpty && (
        <button
          className="jp-pi-Button"
          disabled={!isReady}
          onClick={onContinue}
          title={trans.__('Go on where the run ended')}
        >
          <runIcon.react tag="span" />
          {trans.__('Continue')}
        </button>
      )}
      {(!isRunning || !draft.isEmpty) && (
        <button
          className="jp-pi-Button jp-mod-accept"
          onClick={event => onSend(event.altKey)}
          disabled={!canSend}
          title={isRunning ? trans.__('Tell the agent while it works') : trans.__('Send the prompt')}
        >
          <sendIcon.react tag="span" />
          {trans.__('Send')}
        </button>
      )}
    </div>
  );
}

function hint({ isRunning, draft, values, around }: IComposerProps): string {
  const { trans } = around;
  const key = values.sendKey === 'enter' ? 'Enter' : 'Ctrl+Enter';
  if (isRunning && !draft.isEmpty) {
    return values.whileRunning === 'steer'
      ? trans.__('%1: at the next step · Alt+Enter: after this', key)
      : trans.__('%1: after this · Alt+Enter: at the next step', key);
  }
  return values.sendKey === 'enter' ? trans.__('Shift+Enter: new line') : trans.__('%1: send', key);
}
