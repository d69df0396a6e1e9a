/**
 * What was folded into summaries: each record opens to its summary and to the messages that went in.
 */
import * as React from 'react';

import { ICompactionRow } from '../../protocol';
import { count, moment, wholeMoment } from '../amounts';
import { answerTo, compactionId, compactionOf, foldedBy, overviewOf } from '../wanted';
import { occasionName } from '../words';
import { Waiting } from './composition';
import { PartList } from './partlist';
import { RecordFacts } from './recordfacts';
import { IView } from './view';

export function Compactions(view: IView): React.JSX.Element {
  const { state, around } = view;
  const overview = overviewOf(state);
  if (!overview) {
    return <Waiting view={view} isFailed={false} />;
  }
  const records = [...overview.compactions].sort((a, b) => b.time - a.time);
  if (!records.length) {
    return <p>{around.texts.__('Nothing was compacted yet.')}</p>;
  }
  return (
    <ul className="jp-pi-Inspector-plain">
      {records.map(record => (
        <li key={record.entry_id}>
          <Compaction {...view} record={record} />
        </li>
      ))}
    </ul>
  );
}

export interface ICompactionProps extends IView {
  readonly record: ICompactionRow;
}

function Compaction(view: ICompactionProps): React.JSX.Element {
  const { state, around, send, record } = view;
  const { texts } = around;
  const id = compactionId(record.entry_id);
  const isOpen = state.open.has(id);
  // Other programs record no more than how it was before.
  const isKnown = record.tokens_after > 0;
  const kept = Math.min(100, (100 * record.tokens_after) / Math.max(1, record.tokens_before));
  return (
    <article className="jp-pi-CompactionRecord" id={id.replace(' ', '-')}>
      <button
        type="button"
        className="jp-pi-CompactionRecord-line"
        aria-expanded={isOpen}
        onClick={() => send({ type: 'toggle', id })}
      >
        <span className="jp-pi-Part-arrow" aria-hidden="true" />
        <time dateTime={new Date(1000 * record.time).toISOString()} title={wholeMoment(record.time)}>
          {moment(record.time)}
        </time>
        {record.reason && <span className="jp-pi-Inspector-tag">{occasionName(record.reason, texts)}</span>}
        <span className="jp-pi-Inspector-number jp-pi-Inspector-grow">
          {isKnown
            ? texts.__('%1 → %2 tokens', count(record.tokens_before), count(record.tokens_after))
            : texts.__('%1 tokens', count(record.tokens_before))}
        </span>
        {isKnown && (
          <span className="jp-pi-Meter" aria-hidden="true">
            <span style={{ width: `${kept}%` }} />
          </span>
        )}
      </button>
      {isOpen && <CompactionBody {...view} />}
    </article>
  );
}

function CompactionBody(view: ICompactionProps): React.JSX.Element {
  const { state, around, record } = view;
  const { texts, Markdown } = around;
  const found = compactionOf(state, record.entry_id);
  if (!found) {
    const { error } = answerTo(state, { type: 'inspect_compaction', entry_id: record.entry_id });
    return <Waiting view={view} isFailed={error !== ''} />;
  }
  return (
    <div className="jp-pi-CompactionRecord-body">
      <RecordFacts {...view} />
      <h3>{texts.__('Summary')}</h3>
      <div className="jp-pi-CompactionRecord-summary">
        {found.summary ? <Markdown text={found.summary} /> : <p>{texts.__('There is no summary.')}</p>}
      </div>
      <h3>{texts.__('Folded messages (%1)', count(found.folded_count))}</h3>
      {found.folded.length < found.folded_count && (
        <p className="jp-pi-Inspector-faint">{texts.__('The newest %1 are shown.', count(found.folded.length))}</p>
      )}
      {found.folded.length ? (
        <PartList {...view} parts={found.folded} tokens={record.tokens_before} scope={foldedBy(record.entry_id)} />
      ) : (
        <p className="jp-pi-Inspector-faint">{texts.__('They are no longer there.')}</p>
      )}
    </div>
  );
}
