/**
 * What goes with a prompt, and what waits for its turn: chips above the box, each with a way to take it away.
 */
import { closeIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { IPicture } from '../composer/draft';
import { IAttachedCell, IQueuedPrompt } from '../protocol';
import { ISurroundings } from './facts';

export interface IAttachmentsProps {
  readonly cells: readonly IAttachedCell[];
  readonly images: readonly IPicture[];
  readonly around: ISurroundings;
  readonly onDetach: (cellId: string) => void;
  readonly onRemove: (pictureId: string) => void;
}

export function Attachments(props: IAttachmentsProps): React.JSX.Element | null {
  const { cells, images, around, onDetach, onRemove } = props;
  const { trans } = around;
  if (!cells.length && !images.length) {
    return null;
  }
  return (
    <ul className="jp-pi-Chips" aria-label={trans.__('Attached')}>
      {cells.map(cell => (
        <li key={cell.cell_id} className="jp-pi-Chip" title={`${cell.source}\n\n${cell.output}`.trim().slice(0, 1000)}>
          <span className="jp-pi-Chip-text">{cellName(cell, around)}</span>
          <Remove label={trans.__('Remove %1', cellName(cell, around))} onClick={() => onDetach(cell.cell_id)} />
        </li>
      ))}
      {images.map((image, place) => (
        <li key={image.id} className="jp-pi-Chip jp-mod-picture">
          <img src={`data:${image.mime_type};base64,${image.data}`} alt={trans.__('Picture %1', place + 1)} />
          <Remove label={trans.__('Remove picture %1', place + 1)} onClick={() => onRemove(image.id)} />
        </li>
      ))}
    </ul>
  );
}

function cellName(cell: IAttachedCell, { trans }: ISurroundings): string {
  if (cell.output && !cell.source) {
    return trans.__('Output of cell %1', cell.index + 1);
  }
  return cell.output ? trans.__('Cell %1 with output', cell.index + 1) : trans.__('Cell %1', cell.index + 1);
}

function Remove({ label, onClick }: { label: string; onClick: () => void }): React.JSX.Element {
  return (
    <button className="jp-pi-Chip-remove" aria-label={label} title={label} onClick={onClick}>
      <closeIcon.react tag="span" />
    </button>
  );
}

export interface IQueuedProps {
  readonly queued: readonly IQueuedPrompt[];
  readonly around: ISurroundings;
  readonly onTakeBack: () => void;
}

export function Queued({ queued, around, onTakeBack }: IQueuedProps): React.JSX.Element | null {
  const { trans } = around;
  if (!queued.length) {
    return null;
  }
  return (
    <div className="jp-pi-Queued">
      <ul aria-label={trans.__('Waiting for the agent')}>
        {queued.map((prompt, place) => (
          <li key={place} title={prompt.text}>
            <span className="jp-pi-Queued-delivery">
              {prompt.delivery === 'steer' ? trans.__('next step') : trans.__('after this')}
            </span>
            <span className="jp-pi-Queued-text">{prompt.text}</span>
          </li>
        ))}
      </ul>
      <button className="jp-pi-Button jp-mod-quiet" onClick={onTakeBack} title={trans.__('Bring it back into the box')}>
        <undoIcon.react tag="span" />
        {trans.__('Take back')}
      </button>
    </div>
  );
}
