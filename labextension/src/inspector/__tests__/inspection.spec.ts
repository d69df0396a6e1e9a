/**
 * When the inspector asks, and what it makes of answers that come late or never.
 */
import { IOverviewReply } from '../../protocol';
import { Inspection } from '../inspection';
import { IInspectorSource, IListener, Question, Reply } from '../source';
import { overviewOf, trouble } from '../wanted';

const OVERVIEW: IOverviewReply = {
  type: 'overview',
  request_id: '',
  session_id: 's',
  session_name: '',
  is_running: false,
  count: 0,
  timeline: [],
  compactions: [],
  hidden: []
};

/** Answers when it is told to. */
class SlowSource implements IInspectorSource {
  ask(question: Question): Promise<Reply> {
    return new Promise((resolve, reject) => this.asked.push({ question, resolve, reject }));
  }

  subscribe(listener: IListener): () => void {
    this.listener = listener;
    return () => (this.listener = null);
  }

  /** Answer the newest question of that type. */
  answer(type: Question['type'], reply: Reply): Promise<void> {
    [...this.asked].reverse().find(({ question }) => question.type === type)!.resolve(reply);
    return settled();
  }

  count(type: Question['type']): number {
    return this.asked.filter(({ question }) => question.type === type).length;
  }

  readonly asked: {
    readonly question: Question;
    readonly resolve: (reply: Reply) => void;
    readonly reject: (reason: Error) => void;
  }[] = [];
  listener: IListener | null = null;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await Promise.resolve();
  }
}

let source: SlowSource;
let inspection: Inspection;

beforeEach(() => {
  jest.useFakeTimers();
  source = new SlowSource();
  inspection = new Inspection(source);
});

afterEach(() => {
  inspection.dispose();
  jest.useRealTimers();
});

test('nothing is asked for while nobody sees it', () => {
  inspection.send({ type: 'tab', tab: 'ledger' });
  expect(source.asked).toEqual([]);
  inspection.isShown = true;
  expect(source.asked.map(({ question }) => question.type)).toEqual(['inspect_overview', 'inspect_ledger']);
});

test('a question that is waited for is not asked again', () => {
  inspection.isShown = true;
  inspection.send({ type: 'changed' });
  inspection.send({ type: 'tab', tab: 'ledger' });
  expect(source.count('inspect_overview')).toBe(1);
});

test('what changed while an answer was on its way is asked for again', async () => {
  inspection.isShown = true;
  inspection.send({ type: 'changed' });
  await source.answer('inspect_overview', OVERVIEW);
  expect(source.count('inspect_overview')).toBe(2);
});

test('however often it changes, what is seen is asked for at most twice a second', async () => {
  inspection.isShown = true;
  await source.answer('inspect_overview', OVERVIEW);
  for (let step = 0; step < 300; step++) {
    source.listener!.changed();
    jest.advanceTimersByTime(10);
    if (source.count('inspect_overview') > 1) {
      await source.answer('inspect_overview', OVERVIEW);
    }
  }
  expect(source.count('inspect_overview')).toBeGreaterThanOrEqual(5);
  expect(source.count('inspect_overview')).toBeLessThanOrEqual(8);
});

test('a kernel that says nothing for 15 seconds is said to be slow, and its late answer is shown', async () => {
  inspection.isShown = true;
  jest.advanceTimersByTime(14_999);
  expect(trouble(inspection.state).isSlow).toBe(false);
  jest.advanceTimersByTime(1);
  expect(trouble(inspection.state).isSlow).toBe(true);
  await source.answer('inspect_overview', OVERVIEW);
  await source.answer('inspect_composition', OVERVIEW);
  expect(trouble(inspection.state).isSlow).toBe(false);
  expect(overviewOf(inspection.state)).toBe(OVERVIEW);
});

test('trying again asks again, whatever is waited for', () => {
  inspection.isShown = true;
  jest.advanceTimersByTime(15_000);
  inspection.retry();
  expect(source.count('inspect_overview')).toBe(2);
  expect(trouble(inspection.state).isSlow).toBe(false);
});

test('a refusal is shown as its sentence', async () => {
  inspection.isShown = true;
  source.asked[0]!.reject(new Error('There is no session.'));
  await settled();
  expect(trouble(inspection.state).error).toBe('There is no session.');
});

test('what a kernel at work tells unasked is shown', () => {
  inspection.isShown = true;
  source.listener!.told(OVERVIEW);
  expect(overviewOf(inspection.state)).toBe(OVERVIEW);
});

test('what was done is said, and everything is asked for again', async () => {
  inspection.isShown = true;
  await source.answer('inspect_overview', OVERVIEW);
  inspection.act({ type: 'compact', instructions: 'keep df' }, 'Compacting …');
  expect(inspection.state.result).toEqual({ text: 'Compacting …', kind: 'busy' });
  await source.answer('compact', { type: 'done', request_id: '', text: 'Compacted.', path: '' });
  expect(inspection.state.result).toEqual({ text: 'Compacted.', kind: 'done' });
  expect(source.count('inspect_overview')).toBe(2);
});

test('once disposed, nothing is asked for and nobody is told', async () => {
  inspection.isShown = true;
  const listener = jest.fn();
  inspection.subscribe(listener);
  inspection.dispose();
  await source.answer('inspect_overview', OVERVIEW);
  inspection.send({ type: 'tab', tab: 'raw' });
  expect([listener.mock.calls.length, source.asked.length, source.listener]).toEqual([0, 2, null]);
});
