/**
 * Sentences with what they name: between backticks stands code, between pairs of stars a file.
 */
import * as React from 'react';

const MARKED = /(\*\*[^*]+\*\*|`[^`]+`)/;

export function marked(text: string): React.ReactNode[] {
  return text.split(MARKED).map((part, place) => {
    if (place % 2 === 0) {
      return part;
    }
    return part.startsWith('`') ? <code key={place}>{part.slice(1, -1)}</code> : <b key={place}>{part.slice(2, -2)}</b>;
  });
}
