/**
 * One session as it is looked at: keeps the state, and asks for what it lacks.
 *
 * It draws nothing and knows no comm.
 */
import { Deed, IInspectorSource, Question, Reply } from './source';
import { Action, INITIAL_STATE, IPicture, IResult, IState, reduce, stateOf } from './state';
import { asWanted, wanted } from './wanted';

/** What is looked at is asked for again at most once in this time. */
const PAUSE_MS = 500;

/** How long the kernel may take before that is said; what it says later is still shown. */
const SLOW_MS = 15_000;

/** The same where a picture is shown meanwhile, as in a notebook that is read without a kernel. */
const SLOW_SAVED_MS = 1_500;

/**
 * The state of the inspector with the source that it asks.
 */
export class Inspection {
  constructor(source: IInspectorSource, picture: IPicture | null = null) {
    this._source = source;
    this._state = picture ? stateOf(picture) : INITIAL_STATE;
    this._unsubscribe = source.subscribe({ changed: () => this._onChanged(), told: reply => this._onTold(reply) });
  }

  get state(): IState {
    return this._state;
  }

  /** Have `listener` called after each change, until the function that is returned is. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this._listeners.add(listener);
    return () => this._listeners.delete(listener);
  };

  /** Whether anybody sees it; nothing is asked for while nobody does. */
  set isShown(isShown: boolean) {
    this._isShown = isShown;
    this._askForWanted();
  }

  readonly send = (action: Action): void => {
    this._reduce(action);
    this._askForWanted();
  };

  /** Ask again for everything, whatever is still waited for. */
  readonly retry = (): void => this.send({ type: 'retried' });

  /** Have something done, and keep what is said of it. */
  readonly act = (deed: Deed, meanwhile: string): void => {
    this.send({ type: 'result', result: { text: meanwhile, kind: 'busy' } });
    this._source.ask(deed).then(
      reply => this._done({ text: 'text' in reply ? reply.text : '', kind: 'done' }),
      (reason: unknown) => this._done({ text: sentence(reason), kind: 'failed' })
    );
  };

  dispose(): void {
    this._isDisposed = true;
    this._unsubscribe();
    this._timers.forEach(timer => clearTimeout(timer));
    this._timers.clear();
    this._listeners.clear();
  }

  private _reduce(action: Action): void {
    if (!this._isDisposed) {
      this._state = reduce(this._state, action);
      this._listeners.forEach(listener => listener());
    }
  }

  private _askForWanted(): void {
    if (!this._isShown || this._isDisposed) {
      return;
    }
    for (const { key, question } of wanted(this._state)) {
      const answer = this._state.answers.get(key);
      if (!answer?.isPending && (answer?.generation ?? -1) < this._state.generation) {
        this._ask(key, question);
      }
    }
  }

  private _ask(key: string, question: Question): void {
    const { generation } = this._state;
    this._reduce({ type: 'asked', key });
    const timer = this._after(this._state.saved ? SLOW_SAVED_MS : SLOW_MS, () => this._reduce({ type: 'slow', key }));
    this._source
      .ask(question)
      .then(
        reply => this.send({ type: 'answered', key, reply, generation }),
        (reason: unknown) => this.send({ type: 'failed', key, error: sentence(reason), generation })
      )
      .finally(() => this._cancel(timer));
  }

  private _done(result: IResult): void {
    this._reduce({ type: 'result', result });
    this.send({ type: 'changed' });
  }

  private _onTold(reply: Reply): void {
    const { generation } = this._state;
    const question = questionOf(reply);
    if (question) {
      this.send({ type: 'answered', key: asWanted(question).key, reply, generation });
    }
  }

  private _onChanged(): void {
    if (this._isChangeDue) {
      return;
    }
    this._isChangeDue = true;
    this._after(Math.max(0, this._changedAt + PAUSE_MS - Date.now()), () => {
      this._isChangeDue = false;
      this._changedAt = Date.now();
      this.send({ type: 'changed' });
    });
  }

  private _after(milliseconds: number, then: () => void): number {
    const timer = window.setTimeout(() => {
      this._timers.delete(timer);
      then();
    }, milliseconds);
    this._timers.add(timer);
    return timer;
  }

  private _cancel(timer: number): void {
    clearTimeout(timer);
    this._timers.delete(timer);
  }

  private _changedAt = 0;
  private _isChangeDue = false;
  private _isDisposed = false;
  private _isShown = false;
  private readonly _listeners = new Set<() => void>();
  private readonly _source: IInspectorSource;
  private _state: IState;
  private readonly _timers = new Set<number>();
  private readonly _unsubscribe: () => void;
}

/** The question that `reply` answers, of those that are answered unasked. */
function questionOf(reply: Reply): Question | null {
  switch (reply.type) {
    case 'overview':
      return { type: 'inspect_overview' };
    case 'composition':
      return { type: 'inspect_composition', number: reply.sizes.number };
    default:
      return null;
  }
}

function sentence(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
