/**
 * What the person asked, and from where they may go another way.
 */
import { editIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { forkIcon } from '../icons';
import { saidAtEnd } from '../kernel/said';
import { IPromptSegment } from '../protocol';
import { IActions, ISurroundings } from './facts';
import { CopyButton, IconButton } from './iconbutton';
import { Pictures } from './pictures';

export interface IPromptProps {
  readonly segment: IPromptSegment;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function Prompt({ segment, around, actions }: IPromptProps): React.JSX.Element {
  const { trans } = around;
  const { entry_id, text, images } = segment;
  return (
    <div className="jp-pi-Turn">
      <div className="jp-pi-Prompt" dir="auto">
        {saidAtEnd(text, trans)}
        <Pictures images={images} alt={trans.__('Picture of the prompt')} />
      </div>
      <div className="jp-pi-Turn-tools">
        <CopyButton text={text} label={trans.__('Copy prompt')} around={around} />
        {entry_id && (
          <>
            <IconButton
              icon={editIcon}
              label={trans.__('Change and ask again')}
              onClick={() => actions.onEdit(entry_id, text)}
            />
            <IconButton
              icon={forkIcon}
              label={trans.__('Fork from here')}
              onClick={() => actions.onFork(entry_id, text)}
            />
          </>
        )}
      </div>
    </div>
  );
}
