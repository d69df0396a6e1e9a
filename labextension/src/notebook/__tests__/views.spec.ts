/**
 * The views of one notebook: the one in front is the last that was shown, and the last one stays.
 */
import { NotebookPanel } from '@jupyterlab/notebook';

import { NotebookViews } from '../views';

const [first, second] = ['first', 'second'].map(id => ({ id }) as unknown as NotebookPanel) as [
  NotebookPanel,
  NotebookPanel
];

test('the view that was shown last is in front, and each change is told once', () => {
  const views = new NotebookViews(first);
  const told = jest.fn();
  views.changed.connect(told);
  views.show(first);
  expect(told).not.toHaveBeenCalled();
  views.show(second);
  views.show(first);
  expect(views.all).toEqual([first, second]);
  expect(told).toHaveBeenCalledTimes(2);
});

test('another view comes to the front when one is closed, and the only one is kept', () => {
  const views = new NotebookViews(first);
  views.show(second);
  expect(views.remove(second)).toBe(true);
  expect(views.front).toBe(first);
  expect(views.remove(first)).toBe(false);
  expect(views.front).toBe(first);
});
