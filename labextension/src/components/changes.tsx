/**
 * What a run changed in the notebook, cell by cell, to be accepted or taken back.
 */
import * as React from 'react';

import { IChanges } from '../notebook/changes';
import { Change } from './change';
import { ISurroundings } from './facts';

export interface IChangesProps {
  readonly changes: IChanges;
  /** The cells among them that are no longer as the run left them. */
  readonly theirs: readonly string[];
  readonly around: ISurroundings;
  readonly onAccept: (ids: readonly string[]) => void;
  /** Gives those that the person has changed since, which stay. */
  readonly onUndo: (ids: readonly string[]) => readonly string[];
  readonly onShow: (id: string) => void;
}

export function Changes({ changes, theirs, around, onAccept, onUndo, onShow }: IChangesProps): React.JSX.Element | null {
  const { trans } = around;
  const [left, setLeft] = React.useState<readonly string[]>([]);
  const details = React.useRef<HTMLDetailsElement>(null);
  const { list } = changes;
  if (!list.length) {
    return null;
  }
  const all = list.map(one => one.id);
  const undo = (ids: readonly string[]): void => {
    const stay = onUndo(ids);
    setLeft(stay);
    if (stay.length && details.current) {
      // Why they stay is said beside them.
      details.current.open = true;
    }
  };
  return (
    <div className="jp-pi-Changes" role="group" aria-label={trans.__('Changes of this run')}>
      <details ref={details}>
        <summary className="jp-pi-Changes-heading">
          <span className="jp-pi-Changes-count" role="status">
            {trans._n('%1 cell changed', '%1 cells changed', list.length)}
          </span>
        </summary>
        <ul className="jp-pi-Changes-list">
          {list.map(one => (
            <li key={one.id}>
              <Change
                change={one}
                isLeft={left.includes(one.id) || theirs.includes(one.id)}
                around={around}
                onAccept={() => onAccept([one.id])}
                onUndo={() => undo([one.id])}
                onShow={() => onShow(one.id)}
              />
            </li>
          ))}
        </ul>
      </details>
      <div className="jp-pi-Changes-all">
        <button type="button" className="jp-pi-Link" onClick={() => onAccept(all)}>
          {trans.__('Accept all')}
        </button>
        <button type="button" className="jp-pi-Link" title={trans.__('Undo all changes of this run')} onClick={() => undo(all)}>
          {trans.__('Undo all')}
        </button>
      </div>
    </div>
  );
}
