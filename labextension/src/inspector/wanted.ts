/**
 * What the state of the inspector asks for, and what it has of that.
 */
import {
  ICompactionReply,
  ICompositionReply,
  IDifferenceReply,
  ILedgerReply,
  IOverviewReply,
  IPart,
  IPartReply,
  IRawReply
} from '../protocol';
import { Question } from './source';
import { Choice, FoldedScope, IAnswer, IState, Scope } from './state';

export const NO_ANSWER: IAnswer = { reply: null, error: '', isPending: false, isSlow: false, generation: -1 };

const FOLDED = 'folded ';

/** A question with the key that its answer is kept by. */
export interface IWanted {
  readonly key: string;
  readonly question: Question;
}

/** What must be known to draw the tab that is looked at. */
export function wanted(state: IState): readonly IWanted[] {
  const { tab, number } = state;
  const overview = asWanted({ type: 'inspect_overview' });
  const composition = asWanted({ type: 'inspect_composition', number });
  const parts = (): readonly IWanted[] => openParts(state, 'request', compositionOf(state)?.parts ?? []);
  switch (tab) {
    case 'composition':
      return [overview, composition, ...parts()];
    case 'timeline': {
      const next = number === null ? [] : [asWanted({ type: 'inspect_composition', number: null })];
      const below = pair(state) ? wantedDifference(state) : [composition, ...parts()];
      return [overview, ...next, ...below];
    }
    case 'compactions':
      return [overview, ...wantedCompactions(state)];
    case 'ledger':
      return [overview, asWanted({ type: 'inspect_ledger' })];
    case 'raw':
      return [overview, asWanted({ type: 'inspect_raw', number })];
  }
}

function wantedDifference(state: IState): readonly IWanted[] {
  const found = differenceOf(state);
  return [
    asWanted({ type: 'inspect_difference', ...pair(state)! }),
    ...openParts(state, 'added', found?.added ?? []),
    ...openParts(state, 'gone', found?.gone ?? [])
  ];
}

function wantedCompactions(state: IState): readonly IWanted[] {
  const records = overviewOf(state)?.compactions ?? [];
  return records
    .filter(({ entry_id }) => state.open.has(compactionId(entry_id)))
    .flatMap(({ entry_id }) => [
      asWanted({ type: 'inspect_compaction', entry_id }),
      ...openParts(state, foldedBy(entry_id), compactionOf(state, entry_id)?.folded ?? [])
    ]);
}

function openParts(state: IState, scope: Scope, parts: readonly IPart[]): readonly IWanted[] {
  return parts.filter(part => state.open.has(partId(scope, part))).map(part => wantedPart(state, scope, part));
}

function wantedPart(state: IState, scope: Scope, part: IPart): IWanted {
  const compaction = scope.startsWith(FOLDED) ? { compaction: scope.slice(FOLDED.length) } : {};
  return asWanted({ type: 'inspect_part', number: numberOf(state, scope), key: part.key, ...compaction });
}

/** `question` with its key. */
export function asWanted(question: Question): IWanted {
  return { key: JSON.stringify(question), question };
}

/** The request that the parts of a list are of; what was folded is of none. */
function numberOf(state: IState, scope: Scope): Choice {
  const compared = pair(state);
  switch (scope) {
    case 'request':
      return state.number;
    case 'added':
      return compared?.later ?? null;
    case 'gone':
      return compared?.earlier ?? null;
    default:
      return null;
  }
}

/** The two requests that are compared, in the order they were sent; `null` when only one is looked at. */
export function pair(state: IState): { readonly earlier: number; readonly later: Choice } | null {
  const { number, compared } = state;
  if (compared === undefined) {
    return null;
  }
  const [earlier, later] = (number ?? Infinity) < (compared ?? Infinity) ? [number, compared] : [compared, number];
  return earlier === null ? null : { earlier, later };
}

export function foldedBy(entryId: string): FoldedScope {
  return `${FOLDED}${entryId}`;
}

export function partId(scope: Scope, part: IPart): string {
  return `${scope} ${part.key}`;
}

export function compactionId(entryId: string): string {
  return `compaction ${entryId}`;
}

export function answerTo(state: IState, question: Question): IAnswer {
  return state.answers.get(asWanted(question).key) ?? NO_ANSWER;
}

export function partAnswer(state: IState, scope: Scope, part: IPart): IAnswer {
  return state.answers.get(wantedPart(state, scope, part).key) ?? NO_ANSWER;
}

export function overviewOf(state: IState): IOverviewReply | null {
  return answerTo(state, { type: 'inspect_overview' }).reply as IOverviewReply | null;
}

export function compositionOf(state: IState, number: Choice = state.number): ICompositionReply | null {
  return answerTo(state, { type: 'inspect_composition', number }).reply as ICompositionReply | null;
}

export function differenceOf(state: IState): IDifferenceReply | null {
  const compared = pair(state);
  return compared && (answerTo(state, { type: 'inspect_difference', ...compared }).reply as IDifferenceReply | null);
}

export function compactionOf(state: IState, entry_id: string): ICompactionReply | null {
  return answerTo(state, { type: 'inspect_compaction', entry_id }).reply as ICompactionReply | null;
}

export function ledgerOf(state: IState): ILedgerReply | null {
  return answerTo(state, { type: 'inspect_ledger' }).reply as ILedgerReply | null;
}

export function rawOf(state: IState): IRawReply | null {
  return answerTo(state, { type: 'inspect_raw', number: state.number }).reply as IRawReply | null;
}

export function partOf(state: IState, scope: Scope, part: IPart): IPartReply | null {
  return partAnswer(state, scope, part).reply as IPartReply | null;
}

/** What is wrong with what is looked at: the first error, and whether the kernel is slow. */
export function trouble(state: IState): { readonly error: string; readonly isSlow: boolean } {
  const answers = wanted(state).map(({ key }) => state.answers.get(key) ?? NO_ANSWER);
  return {
    error: answers.find(answer => answer.error)?.error ?? '',
    isSlow: answers.some(answer => answer.isSlow)
  };
}
