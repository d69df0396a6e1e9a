/**
 * A list of parts, of which only those in view are in the page.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import * as React from 'react';

import { useFocusedRow } from '../../focusedrow';
import { Scope } from '../state';
import { partId } from '../wanted';
import { PartRow } from './part';
import { IPartsProps } from './parts';

const ROW_PX = 29;
const OVERSCAN = 8;

export interface IPartListProps extends IPartsProps {
  readonly scope: Scope;
}

export function PartList(view: IPartListProps): React.JSX.Element {
  const { parts, scope, around } = view;
  const list = React.useRef<HTMLDivElement>(null);
  const [margin, setMargin] = React.useState(0);
  const keyOf = (index: number): string => partId(scope, parts[index]!);
  const { onFocus, rangeExtractor } = useFocusedRow(keyOf);
  const virtualizer = useVirtualizer({
    count: parts.length,
    estimateSize: () => ROW_PX,
    getItemKey: keyOf,
    rangeExtractor,
    getScrollElement: () => list.current?.closest('.jp-pi-Inspector-page') ?? null,
    overscan: OVERSCAN,
    scrollMargin: margin
  });
  // What stands above the list may grow and shrink.
  React.useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0));
  return (
    <div
      ref={list}
      className="jp-pi-Parts"
      role="list"
      aria-label={around.texts.__('Parts')}
      onFocus={onFocus}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map(item => (
        <div
          key={item.key}
          ref={virtualizer.measureElement}
          role="listitem"
          data-index={item.index}
          aria-setsize={parts.length}
          aria-posinset={item.index + 1}
          style={{ transform: `translateY(${item.start - margin}px)` }}
        >
          <PartRow {...view} part={parts[item.index]!} />
        </div>
      ))}
    </div>
  );
}
