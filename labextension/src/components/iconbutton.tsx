/**
 * A small button with an icon and a name that is not shown.
 */
import { Clipboard } from '@jupyterlab/apputils';
import { checkIcon, copyIcon, LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ISurroundings } from './facts';

/** How long a button says that it has done what it does. */
const DONE_MS = 1500;

export interface IIconButtonProps {
  readonly icon: LabIcon;
  readonly label: string;
  readonly onClick: () => void;
}

export function IconButton({ icon, label, onClick }: IIconButtonProps): React.JSX.Element {
  return (
    <button type="button" className="jp-pi-IconButton" title={label} aria-label={label} onClick={onClick}>
      <icon.react tag="span" />
    </button>
  );
}

export interface ICopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly around: Pick<ISurroundings, 'trans'>;
}

/** Puts `text` on the clipboard and says so. */
export function CopyButton({ text, label, around }: ICopyButtonProps): React.JSX.Element {
  const [isDone, setDone] = React.useState(false);
  React.useEffect(() => {
    const timer = isDone ? window.setTimeout(() => setDone(false), DONE_MS) : 0;
    return () => window.clearTimeout(timer);
  }, [isDone]);
  const onClick = (): void => {
    Clipboard.copyToSystem(text);
    setDone(true);
  };
  return (
    <IconButton icon={isDone ? checkIcon : copyIcon} label={isDone ? around.trans.__('Copied') : label} onClick={onClick} />
  );
}
