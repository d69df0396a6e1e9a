/**
 * What a widget keeps for a notebook without a kernel: the newest it was told, within bounds, and nothing broken.
 */
import { Inspection } from '../../inspector/inspection';
import { IInspectorSource, Question, Reply } from '../../inspector/source';
import { compositionOf, overviewOf } from '../../inspector/wanted';
import { ICompositionReply, IOverviewReply, IPart } from '../../protocol';
import { keeping, savedPicture } from '../picture';

const PART: IPart = {
  key: 'p',
  entry_id: 'e',
  category: 'user',
  label: 'a prompt',
  tokens: 1,
  age: 0,
  is_cached: false,
  is_shortened: false,
  can_hide: true
};
const OVERVIEW: IOverviewReply = {
  type: 'overview',
  request_id: '',
  session_id: 's',
  session_name: 'Sales',
  is_running: true,
  count: 0,
  timeline: [],
  compactions: [],
  hidden: [],
  hidden_count: 0
};
const COMPOSITION: ICompositionReply = {
  type: 'composition',
  request_id: '',
  sizes: {
    number: null,
    model: 'm',
    tokens: 5000,
    context_window: 9000,
    trigger: 8000,
    free: 3000,
    reserve: 1000,
    is_estimate: false
  },
  shares: [],
  parts: Array.from({ length: 5000 }, (_, n) => ({ ...PART, key: `p${n}`, tokens: n }))
};

/** Answers at once, or never. */
function sourceOf(replies: readonly Reply[]): IInspectorSource {
  return {
    ask: ({ type }: Question) =>
      new Promise(resolve => {
        const found = replies.find(reply => `inspect_${reply.type}` === type);
        found && resolve(found);
      }),
    subscribe: () => () => undefined
  };
}

class Model {
  readonly kept = new Map<string, unknown>();

  get(name: string): unknown {
    return this.kept.get(name);
  }

  set(name: string, value: unknown): void {
    this.kept.set(name, JSON.parse(JSON.stringify(value)));
  }
}

async function shown(model: Model, replies: readonly Reply[]): Promise<Inspection> {
  const inspection = new Inspection(sourceOf(replies), savedPicture(model));
  inspection.subscribe(keeping(model, inspection));
  inspection.isShown = true;
  await jest.advanceTimersByTimeAsync(2_000);
  return inspection;
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('what was told is kept, the largest parts in the order they were sent, and nothing runs in it', async () => {
  const model = new Model();
  await shown(model, [OVERVIEW, COMPOSITION]);
  const again = await shown(model, []);
  expect(overviewOf(again.state)).toEqual({ ...OVERVIEW, is_running: false });
  const parts = compositionOf(again.state)!.parts;
  expect(parts.map(({ tokens }) => tokens)).toEqual(Array.from({ length: 200 }, (_, n) => 4800 + n));
  expect(again.state.saved).toMatchObject({ isShortened: true, isAlone: true });
});

test('a kernel that answers takes the place of what was saved', async () => {
  const model = new Model();
  await shown(model, [OVERVIEW, COMPOSITION]);
  const again = await shown(model, [{ ...OVERVIEW, session_name: 'Sales again' }, COMPOSITION]);
  expect(again.state.saved).toBeNull();
  expect(overviewOf(again.state)!.session_name).toBe('Sales again');
});

test.each([undefined, null, 1, 'x', {}, { overview: null, composition: {} }])('%p was not saved here', kept => {
  const model = new Model();
  model.kept.set('picture', kept);
  expect(savedPicture(model)).toBeNull();
});
