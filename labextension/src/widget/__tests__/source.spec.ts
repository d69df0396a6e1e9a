/**
 * Questions and answers over a widget's comm.
 */
import { NOBODY } from '../../kernel/questions';
import { IWidgetModel, WidgetSource } from '../source';

class PretendModel implements IWidgetModel {
  send(content: unknown): void {
    this.sent.push(content as { type: string; request_id: string });
  }

  on(_: 'msg:custom', callback: (content: unknown) => void): void {
    this.callbacks.add(callback);
  }

  off(_: 'msg:custom', callback: (content: unknown) => void): void {
    this.callbacks.delete(callback);
  }

  hear(content: unknown): void {
    this.callbacks.forEach(callback => callback(content));
  }

  readonly callbacks = new Set<(content: unknown) => void>();
  readonly sent: { type: string; request_id: string }[] = [];
}

let model: PretendModel;
let source: WidgetSource;

beforeEach(() => {
  model = new PretendModel();
  source = new WidgetSource(model);
});

test('answers find their questions by id, whatever their order', async () => {
  const raw = source.ask({ type: 'inspect_raw', number: null });
  const ledger = source.ask({ type: 'inspect_ledger' });
  const [first, second] = model.sent;
  model.hear({ type: 'ledger', request_id: second!.request_id, files: [], variables: [] });
  model.hear({ type: 'raw', request_id: first!.request_id, text: '{}', is_cut: false });
  expect((await raw).type).toBe('raw');
  expect((await ledger).type).toBe('ledger');
});

test('two views of one widget do not take each other’s answers', async () => {
  const other = new WidgetSource(model);
  const answers: string[] = [];
  source.ask({ type: 'inspect_ledger' }).then(() => answers.push('mine'), String);
  other.ask({ type: 'inspect_ledger' }).then(() => answers.push('other'), String);
  model.hear({ type: 'ledger', request_id: model.sent[1]!.request_id, files: [], variables: [] });
  await Promise.resolve();
  expect(answers).toEqual(['other']);
});

test('a question that cannot be sent, as to a kernel that was restarted, is refused in a sentence', async () => {
  model.send = () => {
    throw new Error('Cannot send');
  };
  await expect(source.ask({ type: 'inspect_ledger' })).rejects.toThrow(NOBODY);
});

test('a refusal is a rejection with its sentence', async () => {
  const asked = source.ask({ type: 'inspect_ledger' });
  model.hear({ type: 'failed', request_id: model.sent[0]!.request_id, text: 'There is no ledger.' });
  await expect(asked).rejects.toThrow('There is no ledger.');
});

test('what is said unasked goes to whoever listens', () => {
  const listener = { changed: jest.fn(), told: jest.fn() };
  const unsubscribe = source.subscribe(listener);
  const overview = { type: 'overview', request_id: '' };
  model.hear({ type: 'inspection_changed' });
  model.hear(overview);
  unsubscribe();
  model.hear({ type: 'inspection_changed' });
  expect([listener.changed.mock.calls.length, listener.told.mock.calls]).toEqual([1, [[overview]]]);
});

test.each([null, undefined, 7, 'x', [], {}, { request_id: 'nobody' }])('%p is passed over', content => {
  const asked = jest.fn();
  source.ask({ type: 'inspect_ledger' }).then(asked, asked);
  expect(() => model.hear(content)).not.toThrow();
  expect(asked).not.toHaveBeenCalled();
});

test('once disposed, it no longer listens to the comm', () => {
  source.dispose();
  expect(model.callbacks.size).toBe(0);
});
