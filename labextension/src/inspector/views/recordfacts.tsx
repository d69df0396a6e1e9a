/**
 * What is recorded of a compaction, and the way to the one before it.
 */
import * as React from 'react';

import { count, dollars, moment, seconds } from '../amounts';
import { compactionId, overviewOf } from '../wanted';
import { ICompactionProps } from './compactions';

export function RecordFacts(view: ICompactionProps): React.JSX.Element {
  const { record, around, state, send } = view;
  const { texts } = around;
  const facts: readonly [string, string][] = [
    [texts.__('Folded'), texts.__('%1 messages', count(record.folded))],
    [texts.__('Kept word for word'), texts.__('%1 messages', count(record.kept))],
    [texts.__('Took'), seconds(record.seconds)],
    [texts.__('Cost'), record.cost_usd === null ? texts.__('not known') : dollars(record.cost_usd)],
    [texts.__('Model'), record.model]
  ];
  const before = overviewOf(state)?.compactions.find(({ entry_id }) => entry_id === record.previous_id);
  const openBefore = (event: React.MouseEvent<HTMLElement>): void => {
    const id = compactionId(record.previous_id);
    if (!state.open.has(id)) {
      send({ type: 'toggle', id });
    }
    const page = event.currentTarget.closest('.jp-pi-Inspector-page');
    page?.querySelector<HTMLElement>(`#${CSS.escape(id.replace(' ', '-'))} > button`)?.focus();
  };
  return (
    <>
      <ul className="jp-pi-RecordFacts">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <li key={name}>
              <span className="jp-pi-RecordFacts-name">{name}</span>
              <span>{value}</span>
            </li>
          ))}
      </ul>
      {before && (
        <button type="button" className="jp-pi-Inspector-button" onClick={openBefore}>
          {texts.__('Compaction before: %1', moment(before.time))}
        </button>
      )}
    </>
  );
}
