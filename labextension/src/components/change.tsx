/**
 * One cell that a run changed: what became of it, the lines that differ, and the word of the person on it.
 */
import { checkIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ChangeKind, differenceOf, IChange, kindOf } from '../notebook/changes';
import { visible } from '../kernel/message';
import { ISurroundings } from './facts';
import { IconButton } from './iconbutton';

/** Unchanged lines that are shown around those that changed. */
const AROUND = 2;

/** Of the line that a cell goes by. */
const MAX_CHARS = 200;

export interface IChangeProps {
  readonly change: IChange;
  readonly isLeft: boolean;
  readonly around: ISurroundings;
  readonly onAccept: () => void;
  readonly onUndo: () => void;
  readonly onShow: () => void;
}

export function Change({ change, isLeft, around, onAccept, onUndo, onShow }: IChangeProps): React.JSX.Element {
  const { trans } = around;
  const kind = kindOf(change);
  const line = visible(glance(change)) || trans.__('empty cell');
  const names: Record<ChangeKind, string> = {
    inserted: trans.__('Inserted'),
    edited: trans.__('Edited'),
    deleted: trans.__('Deleted'),
    moved: trans.__('Moved'),
    ran: trans.__('Run')
  };
  return (
    <>
      <div className="jp-pi-Change-heading">
        <span className={`jp-pi-Change-kind jp-mod-${kind}`}>{names[kind]}</span>
        {kind === 'deleted' ? (
          <span className="jp-pi-Change-glance">{line}</span>
        ) : (
          <button type="button" className="jp-pi-Change-glance" title={trans.__('Show the cell')} onClick={onShow}>
            {line}
          </button>
        )}
        <IconButton icon={checkIcon} label={trans.__('Accept: %1', line)} onClick={onAccept} />
        <IconButton icon={undoIcon} label={trans.__('Undo: %1', line)} onClick={onUndo} />
      </div>
      {isLeft && (
        <div className="jp-pi-Notice jp-mod-warning" role="alert">
          {trans.__('This cell is no longer as the run left it: it stays as it is.')}
        </div>
      )}
      {kind === 'deleted' && change.isLean && (
        <div className="jp-pi-Notice jp-pi-faint">{trans.__('Its outputs were too large to be kept.')}</div>
      )}
      {kind !== 'moved' && kind !== 'ran' && <Lines change={change} label={trans.__('Difference')} />}
    </>
  );
}

/** The lines that changed, each with its mark and those beside it. */
function Lines({ change, label }: { change: IChange; label: string }): React.JSX.Element {
  const lines = differenceOf(change);
  const near = (place: number): boolean =>
    lines.slice(Math.max(0, place - AROUND), place + AROUND + 1).some(line => line.kind !== 'kept');
  const marks = { added: '+', removed: '-', kept: ' ' };
  return (
    <pre className="jp-pi-Code jp-pi-Difference" tabIndex={0} aria-label={label}>
      {lines.map(
        ({ kind, text }, place) =>
          near(place) && (
            <div key={place} className={`jp-mod-${kind}`}>
              {`${marks[kind]} ${visible(text)}`}
            </div>
          )
      )}
    </pre>
  );
}

function glance({ before, after }: IChange): string {
  const source = (after ?? before)?.source ?? '';
  const lines = typeof source === 'string' ? source.split('\n') : source;
  return (lines.find(line => line.trim() !== '') ?? '').trim().slice(0, MAX_CHARS);
}
