/**
 * Which rows of a conversation are in view, and where: its end stays in view while it grows, unless the person
 * has scrolled away; what is brought in front moves nothing.
 */
import { useVirtualizer, VirtualItem } from '@tanstack/react-virtual';
import * as React from 'react';

import { heightOf, Row } from '../rows';
import { IActions } from './facts';

/** Nearer to the end than this counts as there. */
const END_PX = 48;

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
  readonly onScroll: () => void;
}

export function useScrolling(rows: readonly Row[], isShortened: boolean, actions: IActions): IScrolling {
  const scroller = React.useRef<HTMLDivElement>(null);
  const isFollowing = React.useRef(true);
  const { loadEarlier, isLoading, problem } = useEarlier(actions);
  const keyOf = React.useCallback((index: number) => rows[index]?.key ?? 'tail', [rows]);
  const estimateSize = React.useCallback(
    (index: number) => {
      const columns = Math.max(20, (scroller.current?.clientWidth ?? 300) / COLUMN_PX);
      return index < rows.length ? heightOf(rows[index]!, columns) : TAIL_PX;
    },
    [rows]
  );
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length + 1,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey: keyOf,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    overscan: 3,
    paddingStart: isShortened ? ROOM_FOR_EARLIER_PX : ROOM_ABOVE_PX,
    paddingEnd: ROOM_BELOW_PX
  });
  const jump = React.useCallback(() => {
    isFollowing.current = true;
    virtual.scrollToEnd();
  }, [virtual]);
  React.useLayoutEffect(jump, [jump]);
  React.useLayoutEffect(() => {
    // A composer that grows takes from the end.
    const resized = new ResizeObserver(() => isFollowing.current && virtual.scrollToEnd());
    resized.observe(scroller.current!);
    return () => resized.disconnect();
  }, [virtual]);
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    isFollowing.current = scrollHeight - clientHeight - scrollTop <= END_PX;
    if (isShortened && scrollTop < AHEAD_PX && !isFollowing.current && !problem) {
      loadEarlier();
    }
  };
  return {
    scroller,
    items: virtual.getVirtualItems(),
    height: virtual.getTotalSize(),
    isAtEnd: virtual.isAtEnd(END_PX),
    isLoading,
    problem,
    measure: virtual.measureElement,
    jump,
    loadEarlier,
    onScroll
  };
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
