/**
 * One part of a request: a line that opens to what the model saw, beside all of it where it saw less.
 */
import * as React from 'react';

import { IPart, IPartReply } from '../../protocol';
import { said } from '../../kernel/said';
import { count, share } from '../amounts';
import { categoryName } from '../categories';
import { overviewOf, partAnswer, partId, partOf } from '../wanted';
import { RestoreButton } from './deeds';
import { IPartListProps } from './partlist';
import { SeenPicture, SeenText } from './seen';
import { waitingFor } from './waiting';

type IPartProps = IPartListProps & { readonly part: IPart };

export function PartRow(view: IPartProps): React.JSX.Element {
  const { state, around, send, scope, part, tokens } = view;
  const { texts } = around;
  const id = partId(scope, part);
  const isOpen = state.open.has(id);
  return (
    <div className={`jp-pi-Part ${isOpen ? 'jp-mod-open' : ''}`}>
      <button
        type="button"
        className="jp-pi-Part-line"
        aria-expanded={isOpen}
        onClick={() => send({ type: 'toggle', id })}
      >
        <span className="jp-pi-Part-arrow" aria-hidden="true" />
        <span className="jp-pi-Swatch" data-name={part.category} title={categoryName(part.category, texts)} />
        {part.label && <span className="jp-pi-Inspector-unseen">{categoryName(part.category, texts)}</span>}
        <span className="jp-pi-Part-label">{part.label || categoryName(part.category, texts)}</span>
        {part.is_shortened && <span className="jp-pi-Inspector-tag jp-mod-strong">{texts.__('shortened')}</span>}
        {part.is_cached && (
          <span className="jp-pi-Inspector-tag" title={texts.__('In the beginning that the request before had too')}>
            {texts.__('cached')}
          </span>
        )}
        <span className="jp-pi-Part-age jp-pi-Inspector-faint" title={texts.__('Requests since it was first sent')}>
          {part.age > 0 ? texts.__('age %1', count(part.age)) : ''}
        </span>
        <span className="jp-pi-Inspector-number" title={texts.__('Tokens')}>
          {count(part.tokens)}
        </span>
        <span className="jp-pi-Inspector-number jp-pi-Inspector-faint">{share(part.tokens, tokens)}</span>
      </button>
      {isOpen && <PartBody {...view} />}
    </div>
  );
}

function PartBody(view: IPartProps): React.JSX.Element {
  const { state, around, scope, part } = view;
  const { texts } = around;
  const answer = partAnswer(state, scope, part);
  const reply = partOf(state, scope, part);
  if (!reply) {
    return <p className="jp-pi-Part-body jp-pi-Inspector-faint">{said(answer.error, texts) || waitingFor(view)}</p>;
  }
  return (
    <div className="jp-pi-Part-body">
      <div className={`jp-pi-Part-texts ${reply.full ? 'jp-mod-two' : ''}`}>
        <SeenText title={texts.__('What the model saw')} text={reply.seen} texts={texts} />
        {reply.full && <SeenText title={texts.__('All of it')} text={reply.full} texts={texts} />}
      </div>
      {reply.images.map((image, index) => (
        <SeenPicture key={index} image={image} texts={texts} />
      ))}
      <PartNotes {...view} reply={reply} />
    </div>
  );
}

function PartNotes(view: IPartProps & { readonly reply: IPartReply }): React.JSX.Element {
  const { state, around, act, scope, part, tokens, reply } = view;
  const { texts } = around;
  const hidden = overviewOf(state)?.hidden.find(({ entry_id }) => entry_id === part.entry_id);
  const hide = (): void => act({ type: 'hide_entry', entry_id: part.entry_id }, texts.__('Hiding …'));
  return (
    <div className="jp-pi-Inspector-row">
      {part.can_hide && scope === 'request' && !hidden && (
        <button type="button" className="jp-pi-Inspector-button" onClick={hide}>
          {texts.__('Hide from the model')}
        </button>
      )}
      {hidden && <RestoreButton {...view} entry={hidden} />}
      <span className="jp-pi-Inspector-faint">
        {[
          categoryName(part.category, texts),
          scope.startsWith('folded')
            ? texts.__('%1 of the context before', share(part.tokens, tokens))
            : texts.__('%1 of the request', share(part.tokens, tokens)),
          part.age > 0 && texts.__('age in requests: %1', count(part.age)),
          part.entry_id && texts.__('entry %1', part.entry_id),
          reply.full_path && reply.is_gone && texts.__('all of it was in %1, which is gone', reply.full_path),
          reply.full_path && !reply.is_gone && texts.__('all of it is in %1', reply.full_path),
          reply.is_cut && texts.__('too long to be shown whole')
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  );
}
