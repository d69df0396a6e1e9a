/**
 * What is looked at in a session, how it is sorted and filtered, and what was answered.
 */
import { ICompositionReply, IOverviewReply } from '../protocol';
import { ISort, sortBy } from './rows';
import { Reply } from './source';
import { asWanted, NO_ANSWER, overviewOf, wanted } from './wanted';

export type Tab = 'composition' | 'timeline' | 'compactions' | 'ledger' | 'raw';

/** A request by its number; `null` is the one that would be sent next. */
export type Choice = number | null;

/** Which list a part stands in: that tells the request or the compaction that it is a part of. */
export type Scope = 'request' | 'added' | 'gone' | FoldedScope;

/** The messages that the compaction with that entry folded. */
export type FoldedScope = `folded ${string}`;

export type Form = '' | 'compact' | 'hidden' | 'export';

export type Table = 'files' | 'variables';

export interface IFilter {
  readonly category: string;
  readonly query: string;
  readonly order: 'largest' | 'sent';
}

/** The answer to one question, as far as it has come. */
export interface IAnswer {
  /** The newest there is; it stays while the question is asked again. */
  readonly reply: Reply | null;
  /** Why there is none newer; empty where nothing is wrong. */
  readonly error: string;
  readonly isPending: boolean;
  /** True while the kernel takes longer than it should. */
  readonly isSlow: boolean;
  /** The generation it was last answered in. */
  readonly generation: number;
}

/** What was last known of a session, as a front end keeps it where no kernel need be. */
export interface IPicture {
  readonly overview: IOverviewReply;
  readonly composition: ICompositionReply;
  /** Seconds since 1970. */
  readonly time: number;
  /** Whether there were more parts than were kept. */
  readonly isShortened: boolean;
}

/** A picture in place of what the kernel would tell. */
export interface ISaved {
  readonly time: number;
  readonly isShortened: boolean;
  /** Whether a kernel had its time to answer and did not. */
  readonly isAlone: boolean;
}

/** What became of something that was done. */
export interface IResult {
  readonly text: string;
  readonly kind: 'done' | 'failed' | 'busy';
}

export interface IState {
  readonly tab: Tab;
  readonly number: Choice;
  /** The request that `number` is compared with; `undefined` for none. */
  readonly compared: Choice | undefined;
  readonly filter: IFilter;
  /** What is open: parts by `partId`, compactions by `compactionId`. */
  readonly open: ReadonlySet<string>;
  readonly form: Form;
  readonly ledgerQuery: string;
  readonly sorts: Readonly<Record<Table, ISort>>;
  /** By the key of the question; see `wanted`. */
  readonly answers: ReadonlyMap<string, IAnswer>;
  /** Counts how often what was told has ceased to be all. */
  readonly generation: number;
  readonly result: IResult | null;
  /** `null` once anything was told. */
  readonly saved: ISaved | null;
}

export type Action =
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'choose'; readonly number: Choice }
  | { readonly type: 'compare'; readonly number: Choice | undefined }
  | { readonly type: 'filter'; readonly filter: Partial<IFilter> }
  | { readonly type: 'toggle'; readonly id: string }
  | { readonly type: 'form'; readonly form: Form }
  | { readonly type: 'search_ledger'; readonly query: string }
  | { readonly type: 'sort'; readonly table: Table; readonly column: string }
  | { readonly type: 'asked'; readonly key: string }
  | { readonly type: 'slow'; readonly key: string }
  | { readonly type: 'answered'; readonly key: string; readonly reply: Reply; readonly generation: number }
  | { readonly type: 'failed'; readonly key: string; readonly error: string; readonly generation: number }
  | { readonly type: 'changed' }
  | { readonly type: 'retried' }
  | { readonly type: 'result'; readonly result: IResult | null };

const MAX_ANSWERS = 200;

export const INITIAL_STATE: IState = {
  tab: 'composition',
  number: null,
  compared: undefined,
  filter: { category: '', query: '', order: 'largest' },
  open: new Set(),
  form: '',
  ledgerQuery: '',
  sorts: {
    files: { column: 'time', isDescending: true },
    variables: { column: 'time', isDescending: true }
  },
  answers: new Map(),
  generation: 0,
  result: null,
  saved: null
};

/** What is shown of `picture` until more is known; all of it is asked for again. */
export function stateOf({ overview, composition, time, isShortened }: IPicture): IState {
  const kept = (reply: Reply): IAnswer => ({ ...NO_ANSWER, reply });
  return {
    ...INITIAL_STATE,
    answers: new Map([
      [asWanted({ type: 'inspect_overview' }).key, kept(overview)],
      [asWanted({ type: 'inspect_composition', number: null }).key, kept(composition)]
    ]),
    saved: { time, isShortened, isAlone: false }
  };
}

/** The state after `action`. */
export function reduce(state: IState, action: Action): IState {
  switch (action.type) {
    case 'tab':
      return { ...state, tab: action.tab };
    case 'choose':
      return { ...state, number: action.number, compared: other(state.compared, action.number) };
    case 'compare':
      return { ...state, compared: other(action.number, state.number) };
    case 'filter':
      return { ...state, filter: { ...state.filter, ...action.filter } };
    case 'toggle':
      return { ...state, open: toggled(state.open, action.id) };
    case 'form':
      return { ...state, form: action.form };
    case 'search_ledger':
      return { ...state, ledgerQuery: action.query };
    case 'sort':
      return { ...state, sorts: { ...state.sorts, [action.table]: sortBy(state.sorts[action.table], action.column) } };
    case 'asked':
      return withAnswer(state, action.key, { isPending: true, isSlow: false });
    case 'slow':
      return withAnswer({ ...state, saved: state.saved && { ...state.saved, isAlone: true } }, action.key, { isSlow: true });
    case 'answered':
      return answered({ ...state, saved: null }, action.key, action.reply, action.generation);
    case 'failed':
      return withAnswer(state, action.key, {
        error: action.error,
        isPending: false,
        isSlow: false,
        generation: action.generation
      });
    case 'changed':
      return { ...state, generation: state.generation + 1 };
    case 'retried':
      return { ...state, generation: state.generation + 1, answers: withoutPending(state.answers) };
    case 'result':
      return { ...state, result: action.result };
  }
}

function answered(state: IState, key: string, reply: Reply, generation: number): IState {
  const fresh = { reply, error: '', isPending: false, isSlow: false, generation };
  if (reply.type === 'overview') {
    const before = overviewOf(state);
    if (before && before.session_id !== reply.session_id) {
      // Numbers and entries are those of a session.
      const { tab, filter, form, sorts, result } = state;
      const kept = { ...INITIAL_STATE, tab, filter, form, sorts, result, generation: state.generation + 1 };
      return withAnswer(kept, key, { ...fresh, generation: kept.generation });
    }
  }
  const next = within(withAnswer(state, key, fresh), reply);
  return next.answers.size > MAX_ANSWERS ? { ...next, answers: withoutOld(next) } : next;
}

/** Without the choice of a request that is no longer there, as after a move to an earlier message. */
function within(state: IState, reply: Reply): IState {
  if (reply.type !== 'overview' || Math.max(state.number ?? 0, state.compared ?? 0) <= reply.count) {
    return state;
  }
  const { number, compared } = state;
  const isThere = (one: Choice | undefined): boolean => (one ?? 0) <= reply.count;
  const chosen = isThere(number) ? number : null;
  return { ...state, number: chosen, compared: isThere(compared) ? other(compared, chosen) : undefined };
}

function withAnswer(state: IState, key: string, change: Partial<IAnswer>): IState {
  const answers = new Map(state.answers);
  const before = answers.get(key) ?? NO_ANSWER;
  answers.delete(key);
  return { ...state, answers: answers.set(key, { ...before, ...change }) };
}

/** The answers that are looked at or are asked for, and as many others as there is room for. */
function withoutOld(state: IState): ReadonlyMap<string, IAnswer> {
  const needed = new Set(wanted(state).map(({ key }) => key));
  let surplus = state.answers.size - MAX_ANSWERS;
  return new Map(
    [...state.answers].filter(([key, { isPending }]) => needed.has(key) || isPending || surplus-- <= 0)
  );
}

function withoutPending(answers: ReadonlyMap<string, IAnswer>): ReadonlyMap<string, IAnswer> {
  return new Map([...answers].map(([key, answer]) => [key, { ...answer, isPending: false, isSlow: false }]));
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  return next.delete(id) ? next : next.add(id);
}

/** `compared`, unless it is the request that it would be compared with. */
function other(compared: Choice | undefined, number: Choice): Choice | undefined {
  return compared === number ? undefined : compared;
}
