/**
 * Which clicks are meant for what they fall on.
 */
import * as React from 'react';

/**
 * False for the second click of two: it fell on the question before this one, which went with the first.
 *
 * Where a question goes, the next moves into its place, and nobody has read that by then.
 */
export function isMeant({ detail }: Pick<React.MouseEvent, 'detail'>): boolean {
  return detail < 2;
}
