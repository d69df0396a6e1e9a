/**
 * The button that goes on from behind an answer or a call, in a session of its own.
 */
import * as React from 'react';

import { forkIcon } from '../icons';
import { IActions, ISurroundings } from './facts';
import { IconButton } from './iconbutton';

export interface IForkButtonProps {
  /** Of the answer or call; what was done in the same turn goes with it. */
  readonly segmentId: string;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function ForkButton({ segmentId, around, actions }: IForkButtonProps): React.JSX.Element {
  return (
    <IconButton
      icon={forkIcon}
      label={around.trans.__('Fork after this')}
      onClick={() => actions.onForkAfter(segmentId)}
    />
  );
}
