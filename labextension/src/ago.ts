/**
 * Times as a person says them. Everything here is pure.
 */
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
];

/** How long before `now` the time `then` is, in the largest unit that fits; both in seconds. */
export function ago(then: number, now: number, language?: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const seconds = Math.max(0, now - then);
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['second', Infinity];
  return format.format(-Math.floor(seconds / size) || 0, unit as Intl.RelativeTimeFormatUnit);
}
