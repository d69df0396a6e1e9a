/**
 * Numbers and times in the reader's own way of writing them.
 */

export function count(value: number): string {
  return value.toLocaleString();
}

/** `value` in few characters, for axes. */
export function shortCount(value: number): string {
  return new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** With its sign, for what came and went. */
export function signedCount(value: number): string {
  return new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' }).format(value);
}

/** `part` of `whole` in per cent, exact enough to tell small shares apart. */
export function share(part: number, whole: number): string {
  const value = whole > 0 ? part / whole : 0;
  const digits = value > 0 && value < 0.1 ? 1 : 0;
  return new Intl.NumberFormat(undefined, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  }).format(value);
}

export function seconds(value: number): string {
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: 'second',
    maximumFractionDigits: value < 10 ? 1 : 0
  }).format(value);
}

export function dollars(value: number): string {
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: value < 1 ? 4 : 2
  }).format(value);
}

/** Seconds since 1970 as local day and time. */
export function moment(time: number): string {
  return new Date(1000 * time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** The same with weekday, seconds and zone. */
export function wholeMoment(time: number): string {
  return new Date(1000 * time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
}
