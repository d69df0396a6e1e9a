/**
 * An answer as it grows: what is complete is drawn once, only its end is drawn anew.
 */
import * as React from 'react';

import { fenceOf, IBlocks, isOpenFence, NO_BLOCKS, split } from '../conversation/blocks';
import { Drawing } from '../conversation/drawing';
import { codePlaces, CodeTools, ICodePlace } from './codetools';
import { IActions, ISurroundings } from './facts';

export interface IMarkdownProps {
  readonly text: string;
  /** False while more may come. */
  readonly isWhole: boolean;
  readonly around: ISurroundings;
  readonly actions: IActions;
}

/** `text` as markdown of an untrusted source. */
export function Markdown({ text, isWhole, around, actions }: IMarkdownProps): React.JSX.Element {
  const before = React.useRef<IBlocks>(NO_BLOCKS);
  const { blocks } = (before.current = split(text, before.current));
  return (
    <div className="jp-pi-Markdown">
      {blocks.map((block, place) => (
        <Block
          key={place}
          text={block}
          isWhole={isWhole || place < blocks.length - 1}
          around={around}
          actions={actions}
        />
      ))}
    </div>
  );
}

const Block = React.memo(({ text, isWhole, around, actions }: IMarkdownProps): React.JSX.Element => {
  const host = React.useRef<HTMLDivElement>(null);
  const drawing = React.useRef<Drawing | null>(null);
  const isDone = React.useRef(isWhole);
  const [places, setPlaces] = React.useState<readonly ICodePlace[]>([]);
  isDone.current = isWhole;
  React.useLayoutEffect(() => {
    const node = host.current!;
    const onDrawn = (): void => setPlaces(isDone.current ? codePlaces(node) : []);
    drawing.current = new Drawing(node, around.rendermime, onDrawn);
    return () => drawing.current?.dispose();
  }, [around]);
  React.useLayoutEffect(() => {
    if (!isWhole && isOpenFence(text)) {
      drawing.current?.show(codeOf(text));
    } else {
      drawing.current?.draw(text);
    }
  }, [text, isWhole, around]);
  return (
    <>
      <div className="jp-pi-Block jp-RenderedHTMLCommon jp-RenderedMarkdown" dir="auto" ref={host} />
      <CodeTools places={places} around={around} actions={actions} />
    </>
  );
});

/** What stands in a block of code that has not ended, a fence that is only begun left out. */
function codeOf(block: string): string {
  const [, ...lines] = block.split('\n');
  const last = lines.pop() ?? '';
  return [...lines, fenceOf(block).startsWith(last.trim()) ? '' : last].join('\n');
}
