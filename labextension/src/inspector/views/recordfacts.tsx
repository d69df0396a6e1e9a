/**
 * What is recorded of a compaction, and the way to the one before it.
 */
import * as React from 'react';

import { ICompactionRow } from '../../protocol';
import { ITexts } from '../../texts';
import { count, dollars, moment, seconds } from '../amounts';
import { compactionId, overviewOf } from '../wanted';
import { writerName } from '../words';
import { ICompactionProps } from './compactions';

/** Empty where the program wrote the summary itself. */
function costOf({ by, cost_usd }: ICompactionRow, texts: ITexts): string {
  if (cost_usd !== null) {
    return dollars(cost_usd);
  }
  return by === 'program' ? '' : texts.__('not known');
}

export function RecordFacts(view: ICompactionProps): React.JSX.Element {
  const { record, around, state, send } = view;
  const { texts } = around;
  // Other programs record none of these.
  const isKnown = record.folded + record.kept > 0;
  const facts: readonly [string, string][] = [
    [texts.__('Folded'), isKnown ? texts.__('%1 messages', count(record.folded)) : ''],
    [texts.__('Kept word for word'), isKnown ? texts.__('%1 messages', count(record.kept)) : ''],
    [texts.__('Took'), isKnown ? seconds(record.seconds) : ''],
    [texts.__('Cost'), costOf(record, texts)],
    [texts.__('Summary by'), writerName(record, texts)],
    [texts.__('What the summary should keep'), record.focus]
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
