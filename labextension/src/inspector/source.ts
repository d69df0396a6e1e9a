/**
 * What the inspector asks, and whom: a panel's comm or a widget's, which answer alike.
 */
import { IInspectorReplies } from '../kernel/replies';
import { InspectorRequest } from '../protocol';

type WithoutEnvelope<T> = T extends unknown ? Omit<T, 'request_id' | 'nonce'> : never;

/** A question; its id and its nonce are the source's affair. */
export type Question = WithoutEnvelope<InspectorRequest>;

export type Reply = IInspectorReplies[keyof IInspectorReplies];

/** Something that is done, in place of something that is told. */
export type Deed = Extract<Question, { type: 'hide_entry' | 'restore_entry' | 'compact' | 'export' }>;

/** Formats of an export. */
export type Format = Extract<Question, { type: 'export' }>['format'];

/** Who hears what nobody asked for. */
export interface IListener {
  /** What was told is no longer all. */
  changed(): void;
  /** The newest overview, or composition of the next request: a kernel at work tells, but may not hear. */
  told(reply: Reply): void;
}

/**
 * The session that is looked at.
 */
export interface IInspectorSource {
  /** The answer to `question`, or a rejection whose message is one sentence. It may take for ever. */
  ask(question: Question): Promise<Reply>;

  /** Have `listener` told whatever is said unasked, until the function that is returned is called. */
  subscribe(listener: IListener): () => void;
}
