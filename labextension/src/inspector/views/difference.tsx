/**
 * Two requests compared: what the later one begins with, what came and what went.
 */
import * as React from 'react';

import { IDifferenceReply, IPart } from '../../protocol';
import { count, share, signedCount } from '../amounts';
import { categoryName, rank } from '../categories';
import { Scope } from '../state';
import { answerTo, differenceOf, pair } from '../wanted';
import { Waiting } from './composition';
import { PartList } from './partlist';
import { IView } from './view';

export function DifferenceBody(view: IView): React.JSX.Element {
  const { state, around } = view;
  const { texts } = around;
  const found = differenceOf(state);
  if (!found) {
    const { error } = answerTo(state, { type: 'inspect_difference', ...pair(state)! });
    return <Waiting view={view} isFailed={error !== ''} />;
  }
  return (
    <div className="jp-pi-RequestDifference">
      <p>{summary(view, found)}</p>
      <div className="jp-pi-Meter" role="img" aria-label={texts.__('Kept: %1', share(found.kept_share, 1))}>
        <div style={{ width: `${100 * Math.min(1, found.kept_share)}%` }} />
      </div>
      <p className="jp-pi-Inspector-faint">
        {texts.__(
          '%1 of the earlier one (%2 parts) is the beginning of the later one, which a provider may have in its cache.',
          share(found.kept_share, 1),
          count(found.kept_parts)
        )}
      </p>
      <Changes {...view} found={found} />
      <Side {...view} title={texts.__('Came')} parts={found.added} tokens={found.later.tokens} scope="added" />
      <Side {...view} title={texts.__('Went')} parts={found.gone} tokens={found.earlier.tokens} scope="gone" />
    </div>
  );
}

function summary({ around }: IView, { earlier, later, compactions, edits }: IDifferenceReply): string {
  const { texts } = around;
  const name = (number: number | null): string =>
    number === null ? texts.__('next request') : texts.__('request %1', count(number));
  const facts = [
    texts.__('%1 → %2', name(earlier.number), name(later.number)),
    texts.__('%1 → %2 tokens (%3)', count(earlier.tokens), count(later.tokens), signedCount(later.tokens - earlier.tokens)),
    compactions ? texts.__('compactions between: %1', count(compactions)) : '',
    edits ? texts.__('prunings and edits between: %1', count(edits)) : ''
  ];
  return facts.filter(Boolean).join(' · ');
}

function Changes({ around, found }: IView & { readonly found: IDifferenceReply }): React.JSX.Element {
  const { texts } = around;
  const changes = found.changes
    .filter(({ tokens }) => tokens !== 0)
    .sort((a, b) => rank(a.category) - rank(b.category));
  const whole = changes.reduce((sum, { tokens }) => sum + tokens, 0);
  const largest = changes.reduce((top, { tokens }) => Math.max(top, Math.abs(tokens)), 1);
  if (!changes.length) {
    return <p>{texts.__('No category has changed.')}</p>;
  }
  return (
    <table className="jp-pi-Table jp-pi-CategoryChanges">
      <caption>{texts.__('Changes by category, as estimated')}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.__('Category')}</th>
          <th scope="col" className="jp-mod-number">
            {texts.__('Tokens')}
          </th>
          <th scope="col">
            <span className="jp-pi-Inspector-unseen">{texts.__('To scale')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ category, tokens }) => (
          <tr key={category}>
            <td>
              <span className="jp-pi-Swatch" data-name={category} /> {categoryName(category, texts)}
            </td>
            <td className="jp-mod-number">{signedCount(tokens)}</td>
            <td>
              <div className="jp-pi-CategoryChanges-bar">
                <div
                  data-name={category}
                  className={tokens < 0 ? 'jp-mod-less' : 'jp-mod-more'}
                  style={{ width: `${(50 * Math.abs(tokens)) / largest}%` }}
                />
              </div>
            </td>
          </tr>
        ))}
        <tr>
          <td>{texts.__('in all')}</td>
          <td className="jp-mod-number">{signedCount(whole)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}

interface ISideProps extends IView {
  readonly title: string;
  readonly parts: readonly IPart[];
  readonly tokens: number;
  readonly scope: Scope;
}

function Side(view: ISideProps): React.JSX.Element {
  const { title, parts, around } = view;
  return (
    <section>
      <h3>{`${title} (${count(parts.length)})`}</h3>
      {parts.length ? <PartList {...view} /> : <p className="jp-pi-Inspector-faint">{around.texts.__('Nothing.')}</p>}
    </section>
  );
}
