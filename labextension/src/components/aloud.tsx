/**
 * What a screen reader reads of the conversation as it grows: each part once, politely.
 *
 * The rows themselves come and go by scrolling, which is nothing to read.
 */
import * as React from 'react';

import { Segment } from '../protocol';
import { Heard, unheard } from '../conversation/spoken';
import { ISurroundings } from './facts';

/** Parts that stay readable; what is older has been read. */
const MAX_PARTS = 12;

interface IPart {
  readonly key: number;
  readonly text: string;
}

export interface IAloudProps {
  readonly segments: readonly Segment[];
  readonly around: ISurroundings;
}

export function Aloud({ segments, around }: IAloudProps): React.JSX.Element {
  const { trans } = around;
  const heard = React.useRef<Heard | null>(null);
  const count = React.useRef(0);
  const [parts, setParts] = React.useState<readonly IPart[]>([]);
  React.useEffect(() => {
    const isFirst = heard.current === null;
    const found = unheard(segments, heard.current ?? new Map(), trans);
    heard.current = found.heard;
    if (!isFirst && found.parts.length) {
      const added = found.parts.map(text => ({ key: count.current++, text }));
      setParts(old => [...old, ...added].slice(-MAX_PARTS));
    }
  }, [segments]);
  return (
    <div className="jp-pi-Aloud" aria-live="polite" aria-relevant="additions">
      {parts.map(part => (
        <p key={part.key}>{part.text}</p>
      ))}
    </div>
  );
}
