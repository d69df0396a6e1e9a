/**
 * What is shown of the segments of a conversation, and where. Everything here is pure.
 */
import { IAskMessage, Segment } from '../protocol';

/** How a session without a name is told from others. */
export function firstPrompt(segments: readonly Segment[]): string {
  const first = segments.find(segment => segment.type === 'prompt');
  return first?.type === 'prompt' ? first.text : '';
}

/** The segments without a call that is being asked about, which the question shows whole. */
export function withoutAsked(segments: readonly Segment[], asks: readonly IAskMessage[]): readonly Segment[] {
  const tools = asks.map(ask => ask.tool);
  const isAsked = (segment: Segment): boolean =>
    segment.type === 'call' && segment.state === 'running' && !segment.output && tools.includes(segment.tool);
  return asks.length ? segments.filter(segment => !isAsked(segment)) : segments;
}
