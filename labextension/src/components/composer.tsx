/**
 * Where the person writes, and stops what they have asked for.
 */
import { stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { sendIcon } from '../icons';
import { ISurroundings } from './facts';

export interface IComposerProps {
  readonly draft: string;
  readonly isReady: boolean;
  readonly isRunning: boolean;
  readonly around: ISurroundings;
  readonly onChange: (text: string) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

export function Composer(props: IComposerProps): React.JSX.Element {
  const { draft, isReady, isRunning, around, onChange, onSend, onStop } = props;
  const { trans } = around;
  const onKeyDown = (event: React.KeyboardEvent): void => {
    // While an input method is composing, Enter ends the composition.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onSend();
    }
  };
  return (
    <div className="jp-pi-Composer">
      <textarea
        className="jp-pi-Composer-input"
        rows={Math.min(10, Math.max(2, draft.split('\n').length))}
        value={draft}
        disabled={!isReady}
        placeholder={trans.__('Ask the agent')}
        aria-label={trans.__('Prompt')}
        onChange={event => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="jp-pi-Composer-row">
        <span className="jp-pi-faint">{trans.__('Shift+Enter: new line')}</span>
        {isRunning ? (
          <button className="jp-pi-Button jp-mod-stop" onClick={onStop} title={trans.__('Stop the run')}>
            <stopIcon.react tag="span" />
            {trans.__('Stop')}
          </button>
        ) : (
          <button
            className="jp-pi-Button jp-mod-accept"
            onClick={onSend}
            disabled={!isReady || draft.trim() === ''}
            title={trans.__('Send the prompt')}
          >
            <sendIcon.react tag="span" />
            {trans.__('Send')}
          </button>
        )}
      </div>
    </div>
  );
}
