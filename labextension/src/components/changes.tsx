/**
 * What a run changed in the notebook, cell by cell, to be accepted or taken back.
 */
import { checkIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ChangeKind, differenceOf, IChange, IChanges, kindOf } from '../changes';
import { visible } from '../message';
import { ISurroundings } from './facts';
import { IconButton } from './iconbutton';

/** Unchanged lines that are shown around those that changed. */
const AROUND = 2;

export interface IChangesProps {
  readonly changes: IChanges;
  readonly around: ISurroundings;
  readonly onAccept: (ids: readonly string[]) => void;
  /** Gives those that the person has changed since, which stay. */
  readonly onUndo: (ids: readonly string[]) => readonly string[];
  readonly onShow: (id: string) => void;
}

export function Changes({ changes, around, onAccept, onUndo, onShow }: IChangesProps): React.JSX.Element | null {
  const { trans } = around;
  const [left, setLeft] = React.useState<readonly string[]>([]);
  const { list } = changes;
  if (!list.length) {
    return null;
  }
  const all = list.map(one => one.id);
  const undo = (ids: readonly string[]): void => setLeft(onUndo(ids));
  return (
    <details className="jp-pi-Changes" role="group" aria-label={trans.__('Changes of this run')}>
      <summary className="jp-pi-Changes-heading">
        <span className="jp-pi-Changes-count" role="status">
          {trans._n('%1 cell changed', '%1 cells changed', list.length)}
        </span>
        <span className="jp-pi-Changes-all" onClick={event => event.preventDefault()}>
          <button type="button" className="jp-pi-Link" onClick={() => onAccept(all)}>
            {trans.__('Accept all')}
          </button>
          <button type="button" className="jp-pi-Link" title={trans.__('Undo all changes of this run')} onClick={() => undo(all)}>
            {trans.__('Undo all')}
          </button>
        </span>
      </summary>
      <ul className="jp-pi-Changes-list">
        {list.map(one => (
          <li key={one.id}>
            <Change
              change={one}
              isLeft={left.includes(one.id)}
              around={around}
              onAccept={() => onAccept([one.id])}
              onUndo={() => undo([one.id])}
              onShow={() => onShow(one.id)}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface IChangeProps {
  readonly change: IChange;
  readonly isLeft: boolean;
  readonly around: ISurroundings;
  readonly onAccept: () => void;
  readonly onUndo: () => void;
  readonly onShow: () => void;
}

function Change({ change, isLeft, around, onAccept, onUndo, onShow }: IChangeProps): React.JSX.Element {
  const { trans } = around;
  const kind = kindOf(change);
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
          <span className="jp-pi-Change-glance">{visible(glance(change))}</span>
        ) : (
          <button type="button" className="jp-pi-Change-glance" title={trans.__('Show the cell')} onClick={onShow}>
            {visible(glance(change)) || trans.__('empty cell')}
          </button>
        )}
        <IconButton icon={checkIcon} label={trans.__('Accept')} onClick={onAccept} />
        <IconButton icon={undoIcon} label={trans.__('Undo')} onClick={onUndo} />
      </div>
      {isLeft && (
        <div className="jp-pi-Notice jp-mod-warning" role="alert">
          {trans.__('You have changed this cell since: it stays as it is.')}
        </div>
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
  return lines.find(line => line.trim() !== '')?.trim() ?? '';
}
