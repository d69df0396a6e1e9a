/**
 * Which rows of a conversation are in view, and where: its end stays in view while it grows, unless the person
 * has scrolled away; what is brought in front moves nothing.
 */
import { useVirtualizer, VirtualItem } from '@tanstack/react-virtual';
import * as React from 'react';

import { useFocusedRow } from '../focusedrow';
import { heightOf, Row } from '../conversation/rows';
import { IActions } from './facts';

/** Nearer to the end than this counts as there: who goes up but a little wants to stay. */
const END_PX = 4;

/** Nearer to the end than this there is no need of a way to it. */
const NEAR_PX = 48;

/** Older rows are asked for when so much is left above. */
const AHEAD_PX = 400;

const ROOM_ABOVE_PX = 12;
const ROOM_FOR_EARLIER_PX = 40;
const ROOM_BELOW_PX = 12;

const COLUMN_PX = 7;
const TAIL_PX = 1;

export interface IScrolling {
  readonly scroller: React.RefObject<HTMLDivElement>;
  /** The rows in view; the one after the last is the tail. */
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly isAtEnd: boolean;
  readonly isLoading: boolean;
  /** Why older rows could not be had; empty otherwise. */
  readonly problem: string;
  readonly measure: (row: Element | null) => void;
  readonly jump: () => void;
  readonly loadEarlier: () => void;
  readonly onFocus: (event: React.FocusEvent) => void;
  readonly onScroll: () => void;
}

export function useScrolling(rows: readonly Row[], isShortened: boolean, actions: IActions): IScrolling {
  const scroller = React.useRef<HTMLDivElement>(null);
  const isFollowing = React.useRef(true);
  const last = React.useRef({ top: 0, height: 0 });
  const { loadEarlier, isLoading, problem } = useEarlier(actions);
  const keys = useKeys(rows);
  const keyOf = React.useCallback((index: number) => keys[index] ?? 'tail', [keys]);
  const { onFocus, rangeExtractor } = useFocusedRow(keyOf);
  const estimateSize = useEstimates(rows, scroller);
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length + 1,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey: keyOf,
    rangeExtractor,
    anchorTo: 'end',
    scrollEndThreshold: END_PX,
    overscan: 3,
    paddingStart: isShortened ? ROOM_FOR_EARLIER_PX : ROOM_ABOVE_PX,
    paddingEnd: ROOM_BELOW_PX
  });
  const jump = React.useCallback(() => {
    isFollowing.current = true;
    virtual.scrollToEnd();
  }, [virtual]);
  React.useLayoutEffect(() => {
    // After whatever was drawn or measured: what was at the end still is.
    if (isFollowing.current && virtual.getDistanceFromEnd() > 0) {
      virtual.scrollToEnd();
    }
  });
  React.useLayoutEffect(() => {
    // A composer that grows takes from the end.
    const resized = new ResizeObserver(() => isFollowing.current && virtual.scrollToEnd());
    resized.observe(scroller.current!);
    return () => resized.disconnect();
  }, [virtual]);
  const onScroll = (): void => {
    const { scrollTop: top, scrollHeight: height, clientHeight } = scroller.current!;
    // Where the height is the same it was the person who went up, be it ever so little.
    const isAway = height === last.current.height && top < last.current.top;
    last.current = { top, height };
    isFollowing.current = !isAway && (isFollowing.current || height - clientHeight - top <= END_PX);
    if (isShortened && top < AHEAD_PX && !isFollowing.current && !problem) {
      loadEarlier();
    }
  };
  return {
    scroller,
    items: virtual.getVirtualItems(),
    height: virtual.getTotalSize(),
    isAtEnd: virtual.isAtEnd(NEAR_PX),
    isLoading,
    problem,
    measure: virtual.measureElement,
    jump,
    loadEarlier,
    onFocus,
    onScroll
  };
}

/** The keys of `rows`; the same array while they are the same, for then nothing has to be laid out anew. */
function useKeys(rows: readonly Row[]): readonly string[] {
  const before = React.useRef<readonly string[]>([]);
  const isSame = rows.length === before.current.length && rows.every((row, place) => row.key === before.current[place]);
  return isSame ? before.current : (before.current = rows.map(row => row.key));
}

/** How high a row may be that has not been in view; found once for each. */
function useEstimates(rows: readonly Row[], scroller: IScrolling['scroller']): (index: number) => number {
  const current = React.useRef(rows);
  const [heights] = React.useState(() => new WeakMap<Row, number>());
  current.current = rows;
  return React.useCallback((index: number) => {
    const row = current.current[index];
    if (!row) {
      return TAIL_PX;
    }
    const columns = Math.max(20, (scroller.current?.clientWidth ?? 300) / COLUMN_PX);
    const height = heights.get(row) ?? heightOf(row, columns);
    heights.set(row, height);
    return height;
  }, []);
}

/** Asking for older rows, once at a time. */
function useEarlier(actions: IActions): Pick<IScrolling, 'isLoading' | 'loadEarlier' | 'problem'> {
  const isAsked = React.useRef(false);
  const [isLoading, setLoading] = React.useState(false);
  const [problem, setProblem] = React.useState('');
  const loadEarlier = (): void => {
    if (isAsked.current) {
      return;
    }
    isAsked.current = true;
    setLoading(true);
    actions
      .onEarlier()
      .then(() => setProblem(''), (reason: Error) => setProblem(reason.message))
      .finally(() => {
        isAsked.current = false;
        setLoading(false);
      });
  };
  return { isLoading, loadEarlier, problem };
}
