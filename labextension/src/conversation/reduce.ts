/**
 * What a panel knows, and how a message changes it. Everything here is pure.
 */
import {
  IAskMessage,
  ICallSegment,
  IEarlierReply,
  IHelloMessage,
  ISnapshotMessage,
  IStatusEvent,
  ITextSegment,
  IThinkingSegment,
  KernelMessage,
  PanelEvent,
  Segment
} from '../protocol';
import { bounded } from './bounded';

/** Whether there is a kernel to talk to; each other kind has a sentence of its own on the screen. */
export type Connection =
  | { readonly kind: 'no-kernel' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'restarting' }
  | { readonly kind: 'dead' }
  | { readonly kind: 'wrong-language'; readonly language: string }
  | { readonly kind: 'not-installed' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'other-version'; readonly version: string; readonly isNewer: boolean }
  | { readonly kind: 'ready' };

/** Longer, an error would leave no room for the conversation. */
const MAX_ERROR_CHARS = 4000;

/** The panel's copy of one session. */
export interface IState {
  readonly connection: Connection;
  readonly status: IStatusEvent | null;
  readonly segments: readonly Segment[];
  /** True when older segments were left out. */
  readonly isShortened: boolean;
  readonly asks: readonly IAskMessage[];
  readonly modes: readonly string[];
  /** Why the last request was not carried out; empty when it was. */
  readonly error: string;
}

export const INITIAL_STATE: IState = {
  connection: { kind: 'no-kernel' },
  status: null,
  segments: [],
  isShortened: false,
  asks: [],
  modes: [],
  error: ''
};

/**
 * `state` with another connection.
 *
 * What was known of the session stays to be read where the same kernel goes on, or has only just gone; what it was
 * at is then broken off.
 */
export function withConnection(state: IState, connection: Connection): IState {
  switch (connection.kind) {
    case 'ready':
    case 'connecting':
    case 'lost':
      return { ...state, connection };
    case 'restarting':
    case 'dead':
    case 'closed':
      return { ...brokenOff(state), connection };
    default:
      return { ...INITIAL_STATE, connection };
  }
}

/** The session that the notebook had before the one that is there, while that has not begun; else empty. */
export function lastSession({ status, segments }: IState): string {
  return status && !status.is_running && segments.length === 0 ? status.last_session : '';
}

/** The state after `message`. */
export function reduce(state: IState, message: KernelMessage): IState {
  switch (message.type) {
    case 'hello':
      return welcomed(state, message);
    case 'snapshot':
      return restored(state, message);
    case 'events':
      return message.events.reduce(changed, state);
    case 'ask':
      return { ...state, asks: [...state.asks.filter(ask => ask.request_id !== message.request_id), message] };
    case 'withdrawn':
      return { ...state, asks: state.asks.filter(ask => ask.request_id !== message.request_id) };
    case 'error':
      return { ...state, error: message.text.slice(0, MAX_ERROR_CHARS) };
    default:
      return state;
  }
}

/** `state` with older segments in front of those it has; one that it has already stays where it is. */
export function withEarlier(state: IState, reply: IEarlierReply): IState {
  const known = new Set(state.segments.map(segment => segment.id));
  const older = reply.segments.filter(segment => !known.has(segment.id)).map(bounded);
  return { ...state, segments: [...older, ...state.segments], isShortened: reply.is_shortened };
}

/** `state` once nothing of it goes on. */
function brokenOff(state: IState): IState {
  const status = state.status && { ...state.status, is_running: false, is_compacting: false, can_continue: false, queued: [] };
  return { ...state, status, segments: state.segments.map(ended), asks: [], error: '' };
}

function ended(segment: Segment): Segment {
  switch (segment.type) {
    case 'text':
      return isOver(segment) ? segment : { ...segment, interrupted: 'broken' };
    case 'thinking':
      return segment.is_whole ? segment : { ...segment, is_whole: true };
    case 'call':
      return segment.state === 'running' ? { ...segment, state: 'failed' } : segment;
    default:
      return segment;
  }
}

function isOver({ is_whole, interrupted }: ITextSegment): boolean {
  return is_whole || interrupted !== '';
}

function welcomed(state: IState, message: IHelloMessage): IState {
  // The questions that are still open follow; those of the comm before are not.
  return { ...state, modes: message.modes, asks: [] };
}

function restored(state: IState, message: ISnapshotMessage): IState {
  return {
    ...state,
    status: message.status,
    segments: message.segments.map(bounded),
    isShortened: message.is_shortened,
    error: ''
  };
}

function changed(state: IState, event: PanelEvent): IState {
  switch (event.type) {
    case 'segment':
      return { ...state, segments: put(state.segments, bounded(event.segment)) };
    case 'text_delta':
      return { ...state, segments: grow(state.segments, event.segment_id, event.text) };
    case 'call_output':
      return {
        ...state,
        segments: update(state.segments, event.segment_id, isCall, call =>
          bounded({ ...call, output: event.output, hidden_lines: event.hidden_lines })
        )
      };
    case 'status':
      return { ...state, status: event, error: event.is_running ? '' : state.error };
    default:
      return state;
  }
}

function put(segments: readonly Segment[], segment: Segment): readonly Segment[] {
  const place = placeOf(segments, segment.id);
  return place < 0 ? [...segments, segment] : replaced(segments, place, segment);
}

function grow(segments: readonly Segment[], id: string, text: string): readonly Segment[] {
  return update(segments, id, isWritten, segment => bounded({ ...segment, text: segment.text + text }));
}

function isCall(segment: Segment): segment is ICallSegment {
  return segment.type === 'call';
}

/** Whether the model writes it piece by piece. */
function isWritten(segment: Segment): segment is ITextSegment | IThinkingSegment {
  return segment.type === 'text' || segment.type === 'thinking';
}

function update<T extends Segment>(
  segments: readonly Segment[],
  id: string,
  isMeant: (segment: Segment) => segment is T,
  change: (segment: T) => Segment
): readonly Segment[] {
  const place = placeOf(segments, id);
  const segment = segments[place];
  return segment && isMeant(segment) ? replaced(segments, place, change(segment)) : segments;
}

/** What changes is near the end. */
function placeOf(segments: readonly Segment[], id: string): number {
  for (let place = segments.length - 1; place >= 0; place--) {
    if (segments[place]!.id === id) {
      return place;
    }
  }
  return -1;
}

function replaced(segments: readonly Segment[], place: number, segment: Segment): readonly Segment[] {
  const copy = segments.slice();
  copy[place] = segment;
  return copy;
}
