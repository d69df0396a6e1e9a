/**
 * Code that runs or ran, exactly as it is; in the colours of its language where that changes no character.
 */
import * as React from 'react';

import { fenced } from '../conversation/drawable';
import { Drawing } from '../conversation/drawing';
import { visible } from '../kernel/message';
import { ISurroundings } from './facts';

/** Longer code stays plain. */
const MAX_COLOURED_CHARS = 20_000;

export interface ICodeProps {
  readonly code: string;
  readonly language: string;
  readonly label: string;
  readonly around: ISurroundings;
  /** Whether all of it is to be seen at once, as far as the panel is high. */
  readonly isWhole?: boolean;
}

export const Code = React.memo((props: ICodeProps): React.JSX.Element => {
  const { language, label, around, isWhole } = props;
  const code = visible(props.code);
  const host = React.useRef<HTMLPreElement>(null);
  React.useLayoutEffect(() => {
    const node = host.current!;
    node.textContent = code;
    if (!language || code.length > MAX_COLOURED_CHARS) {
      return;
    }
    const aside = document.createElement('div');
    const drawing = new Drawing(aside, around.rendermime, () => {
      const drawn = aside.querySelector('code');
      // Some sequences of characters mean something to the renderer even in code.
      if (drawn?.textContent?.replace(/\n$/, '') === code.replace(/\n$/, '')) {
        node.replaceChildren(...drawn.childNodes);
      }
    });
    drawing.draw(fenced(code, language));
    return () => drawing.dispose();
  }, [code, language, around]);
  return (
    <pre className={`jp-pi-Code ${isWhole ? 'jp-mod-whole' : ''}`} tabIndex={0} aria-label={label} ref={host} />
  );
});
