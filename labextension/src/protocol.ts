/**
 * The messages between the panel and the kernel.
 *
 * Generated from pi_notebook/ui/protocol.py by labextension/generate_protocol.py. Do not edit.
 */

export const PROTOCOL_VERSION = 1;

/** The first message of a panel; the answer gives the nonce that all others must carry. */
export interface IHelloRequest {
  readonly type: 'hello';
  readonly protocol_version: number;
  readonly session_hint?: string;
}

/** Begin a run with the person's words. */
export interface IPromptRequest {
  readonly type: 'prompt';
  readonly nonce: string;
  readonly text: string;
}

/** End the run. */
export interface IStopRequest {
  readonly type: 'stop';
  readonly nonce: string;
}

/** The panel will execute the code of `request_id` once it is told to proceed. */
export interface IAnnouncedRequest {
  readonly type: 'announced';
  readonly nonce: string;
  readonly request_id: string;
  readonly cell_id?: string | null;
}

/** How the code of `request_id` ended, as the panel saw it. */
export interface IRanRequest {
  readonly type: 'ran';
  readonly nonce: string;
  readonly request_id: string;
  readonly status: 'aborted' | 'error' | 'ok' | 'refused';
}

/** The person's word on exactly the call that was asked about. */
export interface IApproveRequest {
  readonly type: 'approve';
  readonly nonce: string;
  readonly request_id: string;
  readonly fingerprint: string;
  readonly allowed: boolean;
  readonly scope?: 'once' | 'run' | 'session';
  readonly reason?: string;
  readonly code?: string | null;
}

/** Send everything again. */
export interface ISnapshotRequest {
  readonly type: 'snapshot';
  readonly nonce: string;
}

/** Use another permission mode from now on. */
export interface ISetModeRequest {
  readonly type: 'set_mode';
  readonly nonce: string;
  readonly mode: string;
}

/** Use another model from the next request on. */
export interface ISetModelRequest {
  readonly type: 'set_model';
  readonly nonce: string;
  readonly model: string;
}

/** The answer to the panel's hello; a snapshot follows. */
export interface IHelloMessage {
  readonly type: 'hello';
  readonly protocol_version: number;
  readonly version: string;
  readonly nonce: string;
  readonly modes: readonly (string)[];
}

/** The conversation so far, in place of whatever the panel has. */
export interface ISnapshotMessage {
  readonly type: 'snapshot';
  readonly status: IStatusEvent;
  readonly segments: readonly (IPromptSegment | ITextSegment | ICallSegment | INoticeSegment)[];
  readonly is_shortened: boolean;
}

/** The session as it stands. */
export interface IStatusEvent {
  readonly type: 'status';
  readonly session_id: string;
  readonly model: string;
  readonly mode: string;
  readonly is_running: boolean;
  readonly context_tokens: number;
  readonly context_window: number;
}

/** What the person asked. */
export interface IPromptSegment {
  readonly type: 'prompt';
  readonly id: string;
  readonly text: string;
}

/** A stretch of the model's answer, in markdown. */
export interface ITextSegment {
  readonly type: 'text';
  readonly id: string;
  readonly text: string;
  readonly is_whole: boolean;
  readonly interrupted: string;
}

/** A tool call with the end of its output. */
export interface ICallSegment {
  readonly type: 'call';
  readonly id: string;
  readonly tool: string;
  readonly given: string;
  readonly output: string;
  readonly hidden_lines: number;
  readonly path: string;
  readonly state: 'done' | 'failed' | 'running';
  readonly seconds: number;
}

/** One line from the program. */
export interface INoticeSegment {
  readonly type: 'notice';
  readonly id: string;
  readonly text: string;
  readonly is_warning: boolean;
}

/** What happened since the last message, in order. */
export interface IEventsMessage {
  readonly type: 'events';
  readonly events: readonly (ISegmentEvent | ITextDeltaEvent | ICallOutputEvent | IRunEndedEvent | IStatusEvent)[];
}

/** A segment began or changed; it takes the place of the one with its id. */
export interface ISegmentEvent {
  readonly type: 'segment';
  readonly segment: IPromptSegment | ITextSegment | ICallSegment | INoticeSegment;
}

/** A text segment grew. */
export interface ITextDeltaEvent {
  readonly type: 'text_delta';
  readonly segment_id: string;
  readonly text: string;
}

/** The end of a running call's output, in place of what was shown before. */
export interface ICallOutputEvent {
  readonly type: 'call_output';
  readonly segment_id: string;
  readonly output: string;
  readonly hidden_lines: number;
}

/** A run is over; what went wrong stands in a notice before this. */
export interface IRunEndedEvent {
  readonly type: 'run_ended';
  readonly reason: 'aborted' | 'done' | 'error' | 'max_turns';
}

/** A call waits for the person's word. */
export interface IAskMessage {
  readonly type: 'ask';
  readonly request_id: string;
  readonly fingerprint: string;
  readonly tool: string;
  readonly code: string | null;
  readonly arguments: string;
}

/** Code to execute: announce it, and wait for `proceed`. */
export interface IRunMessage {
  readonly type: 'run';
  readonly request_id: string;
  readonly code: string;
  readonly is_hidden: boolean;
}

/** Execute what was announced now; only the panel that announced it first is told. */
export interface IProceedMessage {
  readonly type: 'proceed';
  readonly request_id: string;
}

/** A question or a request to run is no longer open. */
export interface IWithdrawnMessage {
  readonly type: 'withdrawn';
  readonly request_id: string;
}

/** A request was not carried out; one sentence says why and what to do. */
export interface IErrorMessage {
  readonly type: 'error';
  readonly text: string;
}

/** What the panel sends. */
export type PanelRequest =
  | IHelloRequest
  | IPromptRequest
  | IStopRequest
  | IAnnouncedRequest
  | IRanRequest
  | IApproveRequest
  | ISnapshotRequest
  | ISetModeRequest
  | ISetModelRequest;

/** What the kernel sends. */
export type KernelMessage =
  | IHelloMessage
  | ISnapshotMessage
  | IEventsMessage
  | IAskMessage
  | IRunMessage
  | IProceedMessage
  | IWithdrawnMessage
  | IErrorMessage;

/** What happened in the conversation. */
export type PanelEvent =
  | ISegmentEvent
  | ITextDeltaEvent
  | ICallOutputEvent
  | IRunEndedEvent
  | IStatusEvent;

/** What the conversation is made of. */
export type Segment =
  | IPromptSegment
  | ITextSegment
  | ICallSegment
  | INoticeSegment;

/** The types of message this panel knows. */
export const KERNEL_MESSAGE_TYPES: readonly string[] = [
  'hello', 'snapshot', 'events', 'ask', 'run', 'proceed', 'withdrawn', 'error'
];
