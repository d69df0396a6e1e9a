/**
 * A long timeline is drawn with few points and loses no peak.
 */
import { ITimelinePoint } from '../../protocol';
import { areaPath, downsample, IFrame, linePath, marks, niceTop, numberAt, xOf, yOf } from '../chart';

const FRAME: IFrame = { width: 600, height: 150, first: 1, last: 5001, top: 200_000 };

function point(number: number, change: Partial<ITimelinePoint> = {}): ITimelinePoint {
  return {
    number,
    time: number,
    tokens: 1000 + ((number * 7919) % 90_000),
    context_window: 128_000,
    is_estimate: false,
    outcome: 'done',
    compactions: 0,
    edits: 0,
    ...change
  };
}

const POINTS = Array.from({ length: 5000 }, (_, index) => point(index + 1));

test('of 5,000 points few are drawn, in order, the first and the last among them', () => {
  const drawn = downsample(POINTS, 300);
  expect(drawn.length).toBeLessThanOrEqual(1200);
  expect([drawn[0], drawn[drawn.length - 1]]).toEqual([POINTS[0], POINTS[4999]]);
  expect([...drawn].sort((a, b) => a.number - b.number)).toEqual(drawn);
});

test.each([1, 2, 777, 2500, 4999, 5000])('a peak and a fall at request %p are drawn', number => {
  for (const tokens of [500_000, 0]) {
    const points = POINTS.map(one => (one.number === number ? point(number, { tokens }) : one));
    expect(downsample(points, 120)).toContainEqual(point(number, { tokens }));
  }
});

test.each([0, 1, 5, 400])('%p points are all drawn where there is room for them', count => {
  expect(downsample(POINTS.slice(0, count), 100)).toEqual(POINTS.slice(0, count));
});

test('marks do not pile up: one for a pixel at most', () => {
  const points = POINTS.map(one => ({ ...one, compactions: 1 }));
  expect(marks(points, FRAME, ({ compactions }) => compactions > 0).length).toBeLessThanOrEqual(601);
  expect(marks(points, FRAME, ({ edits }) => edits > 0)).toEqual([]);
});

test.each([1, 2, 2500, 5000, 5001])('pointing at where request %p is drawn chooses it', number => {
  expect(numberAt(xOf(number, FRAME), FRAME)).toBe(number);
});

test('pointing beside the drawing chooses its first or its last request', () => {
  expect([numberAt(-50, FRAME), numberAt(9999, FRAME)]).toEqual([1, 5001]);
});

test('sizes are drawn upwards from the lower edge', () => {
  expect([yOf(0, FRAME), yOf(200_000, FRAME)]).toEqual([150, 0]);
});

test('paths have nothing but numbers, and none for no points', () => {
  expect(linePath(POINTS.slice(0, 3), FRAME)).toMatch(/^M[\d.]+,[\d.]+(L[\d.]+,[\d.]+){2}$/);
  expect(areaPath(POINTS.slice(0, 1), { ...FRAME, last: 1 })).not.toContain('NaN');
  expect([linePath([], FRAME), areaPath([], FRAME)]).toEqual(['', '']);
});

test.each([
  [0, 10],
  [9, 10],
  [128_000, 150_000],
  [200_000, 200_000],
  [1_000_000, 1_000_000]
])('the axis of %p tokens ends at %p', (tokens, top) => {
  expect(niceTop(tokens)).toBe(top);
});
