/**
 * Where the person writes, and stops what they have asked for.
 */
import * as React from 'react';

import { Completions } from '../composer/completions';
import { Draft } from '../composer/draft';
import { picturesIn } from '../composer/pictures';
import { IQueuedPrompt } from '../protocol';
import { IValues } from '../settings';
import { Attachments, Queued } from './chips';
import { ComposerButtons } from './composerbuttons';
import { ISurroundings } from './facts';
import { PromptBox } from './promptbox';

/** What the person can do where they write. */
export interface IComposerActions {
  /** `isOther`: to the run that is on, in the way that the settings do not say. */
  readonly onSend: (isOther: boolean) => void;
  readonly onStop: () => void;
  readonly onContinue: () => void;
  readonly onTakeBack: () => void;
  /** False where there is no further prompt in that direction. */
  readonly onRecall: (step: 1 | -1) => boolean;
  readonly onAttach: () => void;
  /** Attach a cell that the text cannot name. */
  readonly onAttachCell: (cellId: string) => void;
}

export interface IComposerProps extends IComposerActions {
  readonly draft: Draft;
  readonly completions: Completions;
  readonly isReady: boolean;
  /** True while the connection is down: what is written now can be sent later. */
  readonly isAway: boolean;
  readonly isRunning: boolean;
  readonly canContinue: boolean;
  readonly queued: readonly IQueuedPrompt[];
  readonly values: IValues;
  readonly around: ISurroundings;
}

export function Composer(props: IComposerProps): React.JSX.Element {
  const { draft, queued, around, onTakeBack } = props;
  const [isOver, setIsOver] = React.useState(false);
  const addPictures = (event: React.SyntheticEvent, data: DataTransfer | null): void => {
    const files = picturesIn(data);
    if (files.length) {
      event.preventDefault();
      draft.addPictures(files).catch(reason => console.warn('pi-notebook: no pictures', reason));
    }
  };
  return (
    <div
      className={`jp-pi-Composer ${isOver ? 'jp-mod-dropTarget' : ''}`}
      onPaste={event => addPictures(event, event.clipboardData)}
      onDragOver={event => {
        if (event.dataTransfer.types.includes('Files')) {
          event.preventDefault();
          setIsOver(true);
        }
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={event => {
        setIsOver(false);
        addPictures(event, event.dataTransfer);
      }}
    >
      <Queued queued={queued} around={around} onTakeBack={onTakeBack} />
      <Attachments
        cells={draft.cells}
        images={draft.images}
        around={around}
        onDetach={cellId => draft.detach(cellId)}
        onRemove={id => draft.removePicture(id)}
      />
      {draft.problem && (
        <div className="jp-pi-faint" role="status">
          {draft.problem === 'too many'
            ? around.trans.__('No more pictures go with one prompt.')
            : around.trans.__('This picture cannot be read.')}
        </div>
      )}
      <PromptBox {...props} />
      <ComposerButtons {...props} />
    </div>
  );
}
