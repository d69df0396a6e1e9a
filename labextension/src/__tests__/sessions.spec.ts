/**
 * The list of sessions while it is looked at.
 */
import { ago } from '../ago';
import { fittedSize } from '../composer/pictures';
import { Ask, Sessions } from '../sessions';

const ROW = { session_id: 'a', name: 'A', time: 0, prompts: 1, is_current: true, excerpt: '' };

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await Promise.resolve();
  }
}

test('a search shows the answer to what was typed last', async () => {
  jest.useFakeTimers();
  const resolves: (() => void)[] = [];
  const ask = ((question: { query?: string }) =>
    new Promise(resolve =>
      resolves.push(() => resolve({ sessions: [{ ...ROW, name: question.query }], more: 0 }))
    )) as unknown as Ask;
  const sessions = new Sessions(ask);
  sessions.open();
  sessions.search('old');
  jest.runAllTimers();
  sessions.search('new');
  jest.runAllTimers();
  [2, 1, 0].forEach(place => resolves[place]!());
  await settled();
  expect(sessions.list?.rows.map(row => row.name)).toEqual(['new']);
  expect(sessions.list?.isLoading).toBe(false);
  jest.useRealTimers();
});

test('what could not be done is told, and the list stays', async () => {
  const ask = ((question: { type: string }) =>
    question.type === 'sessions'
      ? Promise.resolve({ sessions: [ROW], more: 3 })
      : Promise.reject(new Error('It is gone.'))) as unknown as Ask;
  const sessions = new Sessions(ask);
  sessions.open();
  await sessions.resume('a');
  await settled();
  expect(sessions.list).toMatchObject({ rows: [ROW], more: 3, told: { text: 'It is gone.', isError: true } });
});

test('a session that is gone stands in the list no longer, and what was told ends with the next search', async () => {
  let rows = [ROW];
  const ask = ((question: { type: string }) =>
    question.type === 'sessions'
      ? Promise.resolve({ sessions: rows, more: 0 })
      : Promise.reject(new Error('It is gone.'))) as unknown as Ask;
  const sessions = new Sessions(ask);
  sessions.open();
  await settled();
  rows = [];
  await sessions.export('a', 'md');
  await settled();
  expect(sessions.list).toMatchObject({ rows: [], told: { text: 'It is gone.' } });
  sessions.search('x');
  expect(sessions.list?.told.text).toBe('');
  sessions.dispose();
});

test.each([
  [30, 'now'],
  [59 * 60, '59 minutes ago'],
  [3 * 3600, '3 hours ago'],
  [86_400, 'yesterday'],
  [15 * 86_400, '2 weeks ago'],
  [800 * 86_400, '2 years ago'],
  [-100, 'now']
])('%d seconds ago is %s', (seconds, text) => {
  expect(ago(1_000_000_000 - seconds, 1_000_000_000, 'en')).toBe(text);
});

test.each([
  [100, 50, [100, 50]],
  [3136, 1000, [1568, 500]],
  [10, 100_000, [1, 1568]]
])('a picture of %d × %d is sent as %p', (width, height, size) => {
  expect(fittedSize(width, height)).toEqual(size);
});
