/**
 * A change of a text, line by line.
 */
import * as React from 'react';

import { ILine } from '../conversation/edits';
import { visible } from '../kernel/message';

export interface IDifferenceProps {
  readonly lines: readonly ILine[];
  readonly label: string;
}

export function Difference({ lines, label }: IDifferenceProps): React.JSX.Element {
  return (
    <pre className="jp-pi-Code jp-pi-Difference jp-mod-whole" tabIndex={0} aria-label={label}>
      {lines.map(({ kind, text }, place) => (
        <div key={place} className={`jp-mod-${kind}`}>
          {visible(text)}
        </div>
      ))}
    </pre>
  );
}
