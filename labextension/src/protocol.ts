/**
 * The messages between a front end and the kernel.
 *
 * Generated from pi_notebook/ui/protocol by labextension/generate_protocol.py. Do not edit.
 */

export const PROTOCOL_VERSION = 2;

/** The first message of a panel; the answer gives the nonce that all others must carry. */
export interface IHelloRequest {
  readonly type: 'hello';
  readonly protocol_version: number;
  readonly session_hint?: string;
}

/** Say the person's words: a run begins with them, or one that is on is told. */
export interface IPromptRequest {
  readonly type: 'prompt';
  readonly nonce: string;
  readonly text: string;
  readonly delivery?: 'follow_up' | 'prompt' | 'steer';
  readonly cells?: readonly (IAttachedCell)[];
  readonly images?: readonly (IImage)[];
}

/** A cell of the notebook that the person gives with a prompt. */
export interface IAttachedCell {
  readonly cell_id: string;
  readonly index: number;
  readonly source: string;
  readonly output: string;
}

/** A picture on the wire. */
export interface IImage {
  readonly mime_type: string;
  readonly data: string;
}

/** Go on after a stop or a failure, without a new prompt. */
export interface IContinueRequest {
  readonly type: 'continue';
  readonly nonce: string;
}

/** Take what is queued back, to be edited or dropped; the reply's text is what it was. */
export interface ITakeQueuedRequest {
  readonly type: 'take_queued';
  readonly nonce: string;
  readonly request_id: string;
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

/** Use another context policy from the next request on. */
export interface ISetPolicyRequest {
  readonly type: 'set_policy';
  readonly nonce: string;
  readonly policy: string;
}

/** What the word before the caret may become: variables, files, skills and templates. */
export interface ICompletionsRequest {
  readonly type: 'completions';
  readonly nonce: string;
  readonly request_id: string;
  readonly text: string;
}

/** The models and policies that can be chosen. */
export interface IModelsRequest {
  readonly type: 'models';
  readonly nonce: string;
  readonly request_id: string;
}

/** All of the output of a call, as far as it fits a message; the rest is asked for by where it begins. */
export interface IOutputRequest {
  readonly type: 'output';
  readonly nonce: string;
  readonly request_id: string;
  readonly segment_id: string;
  readonly offset?: number;
}

/** The segments before the one that the panel has first. */
export interface IEarlierRequest {
  readonly type: 'earlier';
  readonly nonce: string;
  readonly request_id: string;
  readonly segment_id: string;
}

/** The sessions of this folder, newest first; those that hold the words of `query`, when there are any. */
export interface ISessionsRequest {
  readonly type: 'sessions';
  readonly nonce: string;
  readonly request_id: string;
  readonly query?: string;
}

/** Leave the session and begin another. */
export interface INewSessionRequest {
  readonly type: 'new_session';
  readonly nonce: string;
  readonly request_id: string;
}

/** Leave the session and go on with another. */
export interface IResumeSessionRequest {
  readonly type: 'resume_session';
  readonly nonce: string;
  readonly request_id: string;
  readonly session_id: string;
}

/** Go on from before a prompt, in a session of its own; the reply's text is that prompt. */
export interface IForkSessionRequest {
  readonly type: 'fork_session';
  readonly nonce: string;
  readonly request_id: string;
  readonly entry_id: string;
}

/** Go on from behind an answer and its calls, in a session of its own; the reply says where it ends. */
export interface IForkAfterRequest {
  readonly type: 'fork_after';
  readonly nonce: string;
  readonly request_id: string;
  readonly segment_id: string;
}

/** Give a session a name. */
export interface IRenameSessionRequest {
  readonly type: 'rename_session';
  readonly nonce: string;
  readonly request_id: string;
  readonly session_id: string;
  readonly name: string;
}

/** Move a session to the trash. */
export interface IDeleteSessionRequest {
  readonly type: 'delete_session';
  readonly nonce: string;
  readonly request_id: string;
  readonly session_id: string;
}

/** What became of a `notebook` message. */
export interface INotebookDoneRequest {
  readonly type: 'notebook_done';
  readonly nonce: string;
  readonly request_id: string;
  readonly problem: string;
  readonly cells: readonly (ICellOutcome)[];
  readonly cell_count: number;
  readonly path: string;
}

/** A cell of the notebook as the panel has it. */
export interface ICellOutcome {
  readonly cell_id: string;
  readonly index: number;
  readonly cell_type: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly execution_count: number | null;
  readonly outputs: string;
}

/** The session, its requests over time, and its compactions. */
export interface IInspectOverviewRequest {
  readonly type: 'inspect_overview';
  readonly request_id: string;
  readonly nonce?: string;
}

/** What one request is made of. */
export interface IInspectCompositionRequest {
  readonly type: 'inspect_composition';
  readonly request_id: string;
  readonly nonce?: string;
  readonly number: number | null;
}

/** One part of a request: what the model saw, and all of it. */
export interface IInspectPartRequest {
  readonly type: 'inspect_part';
  readonly request_id: string;
  readonly nonce?: string;
  readonly number: number | null;
  readonly key: string;
  readonly compaction?: string;
}

/** What a later request has that an earlier one had not, and the reverse. */
export interface IInspectDifferenceRequest {
  readonly type: 'inspect_difference';
  readonly request_id: string;
  readonly nonce?: string;
  readonly earlier: number;
  readonly later: number | null;
}

/** One compaction with the messages it folded. */
export interface IInspectCompactionRequest {
  readonly type: 'inspect_compaction';
  readonly request_id: string;
  readonly nonce?: string;
  readonly entry_id: string;
}

/** The files and variables that were touched. */
export interface IInspectLedgerRequest {
  readonly type: 'inspect_ledger';
  readonly request_id: string;
  readonly nonce?: string;
}

/** A request as it is sent to the provider, as JSON with its secrets masked. */
export interface IInspectRawRequest {
  readonly type: 'inspect_raw';
  readonly request_id: string;
  readonly nonce?: string;
  readonly number: number | null;
}

/** Leave an entry out of the requests to come; recorded. */
export interface IHideEntryRequest {
  readonly type: 'hide_entry';
  readonly request_id: string;
  readonly nonce?: string;
  readonly entry_id: string;
}

/** Bring an entry back that was hidden or shortened; recorded. */
export interface IRestoreEntryRequest {
  readonly type: 'restore_entry';
  readonly request_id: string;
  readonly nonce?: string;
  readonly entry_id: string;
}

/** Compact the context now. */
export interface ICompactRequest {
  readonly type: 'compact';
  readonly request_id: string;
  readonly nonce?: string;
  readonly instructions?: string;
}

/** Write the session into the working folder. */
export interface IExportRequest {
  readonly type: 'export';
  readonly request_id: string;
  readonly nonce?: string;
  readonly format: 'html' | 'ipynb' | 'jsonl' | 'md';
  readonly session_id?: string;
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
  readonly segments: readonly (IPromptSegment | ITextSegment | IThinkingSegment | ICallSegment | ICompactionSegment | INoticeSegment)[];
  readonly is_shortened: boolean;
}

/** The session as it stands. */
export interface IStatusEvent {
  readonly type: 'status';
  readonly session_id: string;
  readonly last_session: string;
  readonly session_name: string;
  readonly model: string;
  readonly mode: string;
  readonly policy: string;
  readonly is_running: boolean;
  readonly is_compacting: boolean;
  readonly can_continue: boolean;
  readonly context_tokens: number;
  readonly context_window: number;
  readonly context_trigger: number;
  readonly is_estimate: boolean;
  readonly cost_usd: number | null;
  readonly queued: readonly (IQueuedPrompt)[];
}

/** What the person has said to a run that has not come to it. */
export interface IQueuedPrompt {
  readonly delivery: 'follow_up' | 'steer';
  readonly text: string;
}

/** What the person asked. */
export interface IPromptSegment {
  readonly type: 'prompt';
  readonly id: string;
  readonly entry_id: string;
  readonly text: string;
  readonly images: readonly (IImage)[];
}

/** A stretch of the model's answer, in markdown. */
export interface ITextSegment {
  readonly type: 'text';
  readonly id: string;
  readonly text: string;
  readonly is_whole: boolean;
  readonly interrupted: string;
}

/** What the model thought before it answered. */
export interface IThinkingSegment {
  readonly type: 'thinking';
  readonly id: string;
  readonly text: string;
  readonly is_whole: boolean;
}

/** A tool call with the end of its output. */
export interface ICallSegment {
  readonly type: 'call';
  readonly id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly given: string;
  readonly output: string;
  readonly hidden_lines: number;
  readonly path: string;
  readonly images: readonly (IImage)[];
  readonly state: 'done' | 'failed' | 'running';
  readonly seconds: number;
}

/** A divider: what stands before was summarised for the model. */
export interface ICompactionSegment {
  readonly type: 'compaction';
  readonly id: string;
  readonly entry_id: string;
  readonly summary: string;
  readonly tokens_before: number;
  readonly tokens_after: number;
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
  readonly segment: IPromptSegment | ITextSegment | IThinkingSegment | ICallSegment | ICompactionSegment | INoticeSegment;
}

/** A text or thinking segment grew. */
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
  readonly preview: string;
}

/** Code to execute: announce it, and wait for `proceed`. */
export interface IRunMessage {
  readonly type: 'run';
  readonly request_id: string;
  readonly code: string;
  readonly is_hidden: boolean;
  readonly cell_id: string;
}

/** Execute what was announced now; only the panel that announced it first is told. */
export interface IProceedMessage {
  readonly type: 'proceed';
  readonly request_id: string;
}

/** Read or change the cells of the live notebook; answered by `notebook_done`. */
export interface INotebookMessage {
  readonly type: 'notebook';
  readonly request_id: string;
  readonly action: 'delete' | 'edit' | 'insert' | 'look' | 'move' | 'read';
  readonly cell_id: string;
  readonly index: number;
  readonly cell_type: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly expected: string | null;
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

/** What the word before the caret may become. */
export interface ICompletionsReply {
  readonly type: 'completions';
  readonly request_id: string;
  readonly start: number;
  readonly items: readonly (ICompletion)[];
}

/** What a word may become. */
export interface ICompletion {
  readonly text: string;
  readonly kind: 'file' | 'other' | 'skill' | 'template' | 'variable';
  readonly detail: string;
}

/** What can be chosen; any other name that the provider library knows can be typed. */
export interface IModelsReply {
  readonly type: 'models';
  readonly request_id: string;
  readonly models: readonly (string)[];
  readonly policies: readonly (string)[];
}

/** The output of a call, or a part of it. */
export interface IOutputReply {
  readonly type: 'output';
  readonly request_id: string;
  readonly text: string;
  readonly path: string;
  readonly is_cut: boolean;
  readonly next_offset: number;
}

/** Older segments, in order. */
export interface IEarlierReply {
  readonly type: 'earlier';
  readonly request_id: string;
  readonly segments: readonly (IPromptSegment | ITextSegment | IThinkingSegment | ICallSegment | ICompactionSegment | INoticeSegment)[];
  readonly is_shortened: boolean;
}

/** Sessions, newest first. */
export interface ISessionsReply {
  readonly type: 'sessions';
  readonly request_id: string;
  readonly sessions: readonly (ISessionRow)[];
  readonly more: number;
}

/** A session in a list. */
export interface ISessionRow {
  readonly session_id: string;
  readonly name: string;
  readonly time: number;
  readonly prompts: number;
  readonly is_current: boolean;
  readonly excerpt: string;
}

/** The session, its requests over time, and its compactions. */
export interface IOverviewReply {
  readonly type: 'overview';
  readonly request_id: string;
  readonly session_id: string;
  readonly session_name: string;
  readonly is_running: boolean;
  readonly count: number;
  readonly timeline: readonly (ITimelinePoint)[];
  readonly compactions: readonly (ICompactionRow)[];
  readonly hidden: readonly (IHiddenEntry)[];
  readonly hidden_count: number;
}

/** A request that was sent. */
export interface ITimelinePoint {
  readonly number: number;
  readonly time: number;
  readonly tokens: number;
  readonly context_window: number;
  readonly is_estimate: boolean;
  readonly outcome: 'aborted' | 'done' | 'failed';
  readonly compactions: number;
  readonly edits: number;
}

/** The record of a compaction. */
export interface ICompactionRow {
  readonly entry_id: string;
  readonly time: number;
  readonly reason: string;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly folded: number;
  readonly kept: number;
  readonly seconds: number;
  readonly cost_usd: number | null;
  readonly model: string;
  readonly by: '' | 'hook' | 'model' | 'program';
  readonly focus: string;
  readonly previous_id: string;
}

/** An entry that an edit of the context keeps out of requests, or shortens in them. */
export interface IHiddenEntry {
  readonly entry_id: string;
  readonly label: string;
  readonly is_hidden: boolean;
  readonly reason: string;
}

/** What one request is made of. */
export interface ICompositionReply {
  readonly type: 'composition';
  readonly request_id: string;
  readonly sizes: ISizes;
  readonly shares: readonly (ICategoryShare)[];
  readonly parts: readonly (IPart)[];
}

/** How large a request is, and what it has room for; in tokens. */
export interface ISizes {
  readonly number: number | null;
  readonly model: string;
  readonly tokens: number;
  readonly context_window: number;
  readonly trigger: number;
  readonly free: number;
  readonly reserve: number;
  readonly is_estimate: boolean;
}

/** What one category, or one name within it, has of a request; the shares add up to its tokens. */
export interface ICategoryShare {
  readonly category: string;
  readonly name: string;
  readonly tokens: number;
  readonly count: number;
}

/** A section of the system prompt, a tool definition, or a message. */
export interface IPart {
  readonly key: string;
  readonly entry_id: string;
  readonly category: string;
  readonly label: string;
  readonly tokens: number;
  readonly age: number;
  readonly is_cached: boolean;
  readonly is_shortened: boolean;
  readonly can_hide: boolean;
}

/** One part of a request. */
export interface IPartReply {
  readonly type: 'part';
  readonly request_id: string;
  readonly key: string;
  readonly seen: string;
  readonly images: readonly (IImage)[];
  readonly full: string;
  readonly full_path: string;
  readonly is_gone: boolean;
  readonly is_cut: boolean;
}

/** Two requests compared. */
export interface IDifferenceReply {
  readonly type: 'difference';
  readonly request_id: string;
  readonly earlier: ISizes;
  readonly later: ISizes;
  readonly kept_share: number;
  readonly kept_parts: number;
  readonly changes: readonly (ICategoryShare)[];
  readonly added: readonly (IPart)[];
  readonly gone: readonly (IPart)[];
  readonly compactions: number;
  readonly edits: number;
}

/** One compaction, opened. */
export interface ICompactionReply {
  readonly type: 'compaction';
  readonly request_id: string;
  readonly record: ICompactionRow;
  readonly summary: string;
  readonly folded: readonly (IPart)[];
  readonly folded_count: number;
}

/** The files and variables that were touched. */
export interface ILedgerReply {
  readonly type: 'ledger';
  readonly request_id: string;
  readonly files: readonly (IFileRow)[];
  readonly file_count: number;
  readonly variables: readonly (IVariableRow)[];
  readonly variable_count: number;
}

/** A file of the ledger. */
export interface IFileRow {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly modifications: number;
  readonly last: 'deleted' | 'modified' | 'read' | 'written';
  readonly renamed_to: string;
  readonly by: readonly ('agent' | 'you')[];
  readonly time: number;
}

/** A variable of the ledger. */
export interface IVariableRow {
  readonly name: string;
  readonly kind: string;
  readonly shape: string;
  readonly state: 'alive' | 'deleted' | 'lost';
  readonly spill: string;
  readonly by: '' | 'agent' | 'you';
  readonly time: number;
}

/** A request as it is sent. */
export interface IRawReply {
  readonly type: 'raw';
  readonly request_id: string;
  readonly text: string;
  readonly is_cut: boolean;
}

/** It was done; a sentence, or one on each line, says what, where there is anything to say. */
export interface IDoneReply {
  readonly type: 'done';
  readonly request_id: string;
  readonly text: string;
  readonly path: string;
}

/** It could not be done; one sentence says why and what to do. */
export interface IFailedReply {
  readonly type: 'failed';
  readonly request_id: string;
  readonly text: string;
}

/** What was told of the session is no longer all: ask again for what is looked at. */
export interface IInspectionChangedMessage {
  readonly type: 'inspection_changed';
}

/** What the panel sends. */
export type PanelRequest =
  | IHelloRequest
  | IPromptRequest
  | IContinueRequest
  | ITakeQueuedRequest
  | IStopRequest
  | IAnnouncedRequest
  | IRanRequest
  | IApproveRequest
  | ISnapshotRequest
  | ISetModeRequest
  | ISetModelRequest
  | ISetPolicyRequest
  | ICompletionsRequest
  | IModelsRequest
  | IOutputRequest
  | IEarlierRequest
  | ISessionsRequest
  | INewSessionRequest
  | IResumeSessionRequest
  | IForkSessionRequest
  | IForkAfterRequest
  | IRenameSessionRequest
  | IDeleteSessionRequest
  | INotebookDoneRequest
  | IInspectOverviewRequest
  | IInspectCompositionRequest
  | IInspectPartRequest
  | IInspectDifferenceRequest
  | IInspectCompactionRequest
  | IInspectLedgerRequest
  | IInspectRawRequest
  | IHideEntryRequest
  | IRestoreEntryRequest
  | ICompactRequest
  | IExportRequest;

/** What the kernel sends. */
export type KernelMessage =
  | IHelloMessage
  | ISnapshotMessage
  | IEventsMessage
  | IAskMessage
  | IRunMessage
  | IProceedMessage
  | INotebookMessage
  | IWithdrawnMessage
  | IErrorMessage
  | ICompletionsReply
  | IModelsReply
  | IOutputReply
  | IEarlierReply
  | ISessionsReply
  | IOverviewReply
  | ICompositionReply
  | IPartReply
  | IDifferenceReply
  | ICompactionReply
  | ILedgerReply
  | IRawReply
  | IDoneReply
  | IFailedReply
  | IInspectionChangedMessage;

/** What happened in the conversation. */
export type PanelEvent =
  | ISegmentEvent
  | ITextDeltaEvent
  | ICallOutputEvent
  | IRunEndedEvent
  | IStatusEvent;

/** What the inspector asks, of the panel's comm or the widget's. */
export type InspectorRequest =
  | IInspectOverviewRequest
  | IInspectCompositionRequest
  | IInspectPartRequest
  | IInspectDifferenceRequest
  | IInspectCompactionRequest
  | IInspectLedgerRequest
  | IInspectRawRequest
  | IHideEntryRequest
  | IRestoreEntryRequest
  | ICompactRequest
  | IExportRequest;

/** What the inspector is told. */
export type InspectorMessage =
  | IOverviewReply
  | ICompositionReply
  | IPartReply
  | IDifferenceReply
  | ICompactionReply
  | ILedgerReply
  | IRawReply
  | IDoneReply
  | IFailedReply
  | IInspectionChangedMessage;

/** What the conversation is made of. */
export type Segment =
  | IPromptSegment
  | ITextSegment
  | IThinkingSegment
  | ICallSegment
  | ICompactionSegment
  | INoticeSegment;

/** The types of message this panel knows. */
export const KERNEL_MESSAGE_TYPES: readonly string[] = [
  'hello', 'snapshot', 'events', 'ask', 'run', 'proceed', 'notebook',
  'withdrawn', 'error', 'completions', 'models', 'output', 'earlier',
  'sessions', 'overview', 'composition', 'part', 'difference', 'compaction',
  'ledger', 'raw', 'done', 'failed', 'inspection_changed'
];

/** What holds a message, and the fields of each record: `=` is a fixed text, `[]` a list. */
export const KERNEL_MESSAGE = 'HelloMessage|SnapshotMessage|EventsMessage|AskMessage|RunMessage|ProceedMessage|NotebookMessage|WithdrawnMessage|ErrorMessage|CompletionsReply|ModelsReply|OutputReply|EarlierReply|SessionsReply|OverviewReply|CompositionReply|PartReply|DifferenceReply|CompactionReply|LedgerReply|RawReply|DoneReply|FailedReply|InspectionChangedMessage';
export const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HelloMessage: {
    type: '=hello',
    protocol_version: 'number',
    version: 'string',
    nonce: 'string',
    modes: 'string[]'
  },
  SnapshotMessage: {
    type: '=snapshot',
    status: 'StatusEvent',
    segments: 'PromptSegment|TextSegment|ThinkingSegment|CallSegment|CompactionSegment|NoticeSegment[]',
    is_shortened: 'boolean'
  },
  EventsMessage: {
    type: '=events',
    events: 'SegmentEvent|TextDeltaEvent|CallOutputEvent|RunEndedEvent|StatusEvent[]'
  },
  AskMessage: {
    type: '=ask',
    request_id: 'string',
    fingerprint: 'string',
    tool: 'string',
    code: 'string|null',
    arguments: 'string',
    preview: 'string'
  },
  RunMessage: {
    type: '=run',
    request_id: 'string',
    code: 'string',
    is_hidden: 'boolean',
    cell_id: 'string'
  },
  ProceedMessage: {
    type: '=proceed',
    request_id: 'string'
  },
  NotebookMessage: {
    type: '=notebook',
    request_id: 'string',
    action: 'string',
    cell_id: 'string',
    index: 'number',
    cell_type: 'string',
    source: 'string',
    expected: 'string|null'
  },
  WithdrawnMessage: {
    type: '=withdrawn',
    request_id: 'string'
  },
  ErrorMessage: {
    type: '=error',
    text: 'string'
  },
  CompletionsReply: {
    type: '=completions',
    request_id: 'string',
    start: 'number',
    items: 'Completion[]'
  },
  ModelsReply: {
    type: '=models',
    request_id: 'string',
    models: 'string[]',
    policies: 'string[]'
  },
  OutputReply: {
    type: '=output',
    request_id: 'string',
    text: 'string',
    path: 'string',
    is_cut: 'boolean',
    next_offset: 'number'
  },
  EarlierReply: {
    type: '=earlier',
    request_id: 'string',
    segments: 'PromptSegment|TextSegment|ThinkingSegment|CallSegment|CompactionSegment|NoticeSegment[]',
    is_shortened: 'boolean'
  },
  SessionsReply: {
    type: '=sessions',
    request_id: 'string',
    sessions: 'SessionRow[]',
    more: 'number'
  },
  OverviewReply: {
    type: '=overview',
    request_id: 'string',
    session_id: 'string',
    session_name: 'string',
    is_running: 'boolean',
    count: 'number',
    timeline: 'TimelinePoint[]',
    compactions: 'CompactionRow[]',
    hidden: 'HiddenEntry[]',
    hidden_count: 'number'
  },
  CompositionReply: {
    type: '=composition',
    request_id: 'string',
    sizes: 'Sizes',
    shares: 'CategoryShare[]',
    parts: 'Part[]'
  },
  PartReply: {
    type: '=part',
    request_id: 'string',
    key: 'string',
    seen: 'string',
    images: 'Image[]',
    full: 'string',
    full_path: 'string',
    is_gone: 'boolean',
    is_cut: 'boolean'
  },
  DifferenceReply: {
    type: '=difference',
    request_id: 'string',
    earlier: 'Sizes',
    later: 'Sizes',
    kept_share: 'number',
    kept_parts: 'number',
    changes: 'CategoryShare[]',
    added: 'Part[]',
    gone: 'Part[]',
    compactions: 'number',
    edits: 'number'
  },
  CompactionReply: {
    type: '=compaction',
    request_id: 'string',
    record: 'CompactionRow',
    summary: 'string',
    folded: 'Part[]',
    folded_count: 'number'
  },
  LedgerReply: {
    type: '=ledger',
    request_id: 'string',
    files: 'FileRow[]',
    file_count: 'number',
    variables: 'VariableRow[]',
    variable_count: 'number'
  },
  RawReply: {
    type: '=raw',
    request_id: 'string',
    text: 'string',
    is_cut: 'boolean'
  },
  DoneReply: {
    type: '=done',
    request_id: 'string',
    text: 'string',
    path: 'string'
  },
  FailedReply: {
    type: '=failed',
    request_id: 'string',
    text: 'string'
  },
  InspectionChangedMessage: {
    type: '=inspection_changed'
  },
  StatusEvent: {
    type: '=status',
    session_id: 'string',
    last_session: 'string',
    session_name: 'string',
    model: 'string',
    mode: 'string',
    policy: 'string',
    is_running: 'boolean',
    is_compacting: 'boolean',
    can_continue: 'boolean',
    context_tokens: 'number',
    context_window: 'number',
    context_trigger: 'number',
    is_estimate: 'boolean',
    cost_usd: 'number|null',
    queued: 'QueuedPrompt[]'
  },
  PromptSegment: {
    type: '=prompt',
    id: 'string',
    entry_id: 'string',
    text: 'string',
    images: 'Image[]'
  },
  TextSegment: {
    type: '=text',
    id: 'string',
    text: 'string',
    is_whole: 'boolean',
    interrupted: 'string'
  },
  ThinkingSegment: {
    type: '=thinking',
    id: 'string',
    text: 'string',
    is_whole: 'boolean'
  },
  CallSegment: {
    type: '=call',
    id: 'string',
    call_id: 'string',
    tool: 'string',
    given: 'string',
    output: 'string',
    hidden_lines: 'number',
    path: 'string',
    images: 'Image[]',
    state: 'string',
    seconds: 'number'
  },
  CompactionSegment: {
    type: '=compaction',
    id: 'string',
    entry_id: 'string',
    summary: 'string',
    tokens_before: 'number',
    tokens_after: 'number'
  },
  NoticeSegment: {
    type: '=notice',
    id: 'string',
    text: 'string',
    is_warning: 'boolean'
  },
  SegmentEvent: {
    type: '=segment',
    segment: 'PromptSegment|TextSegment|ThinkingSegment|CallSegment|CompactionSegment|NoticeSegment'
  },
  TextDeltaEvent: {
    type: '=text_delta',
    segment_id: 'string',
    text: 'string'
  },
  CallOutputEvent: {
    type: '=call_output',
    segment_id: 'string',
    output: 'string',
    hidden_lines: 'number'
  },
  RunEndedEvent: {
    type: '=run_ended',
    reason: 'string'
  },
  Completion: {
    text: 'string',
    kind: 'string',
    detail: 'string'
  },
  SessionRow: {
    session_id: 'string',
    name: 'string',
    time: 'number',
    prompts: 'number',
    is_current: 'boolean',
    excerpt: 'string'
  },
  TimelinePoint: {
    number: 'number',
    time: 'number',
    tokens: 'number',
    context_window: 'number',
    is_estimate: 'boolean',
    outcome: 'string',
    compactions: 'number',
    edits: 'number'
  },
  CompactionRow: {
    entry_id: 'string',
    time: 'number',
    reason: 'string',
    tokens_before: 'number',
    tokens_after: 'number',
    folded: 'number',
    kept: 'number',
    seconds: 'number',
    cost_usd: 'number|null',
    model: 'string',
    by: 'string',
    focus: 'string',
    previous_id: 'string'
  },
  HiddenEntry: {
    entry_id: 'string',
    label: 'string',
    is_hidden: 'boolean',
    reason: 'string'
  },
  Sizes: {
    number: 'number|null',
    model: 'string',
    tokens: 'number',
    context_window: 'number',
    trigger: 'number',
    free: 'number',
    reserve: 'number',
    is_estimate: 'boolean'
  },
  CategoryShare: {
    category: 'string',
    name: 'string',
    tokens: 'number',
    count: 'number'
  },
  Part: {
    key: 'string',
    entry_id: 'string',
    category: 'string',
    label: 'string',
    tokens: 'number',
    age: 'number',
    is_cached: 'boolean',
    is_shortened: 'boolean',
    can_hide: 'boolean'
  },
  Image: {
    mime_type: 'string',
    data: 'string'
  },
  FileRow: {
    path: 'string',
    reads: 'number',
    writes: 'number',
    modifications: 'number',
    last: 'string',
    renamed_to: 'string',
    by: 'string[]',
    time: 'number'
  },
  VariableRow: {
    name: 'string',
    kind: 'string',
    shape: 'string',
    state: 'string',
    spill: 'string',
    by: 'string',
    time: 'number'
  },
  QueuedPrompt: {
    delivery: 'string',
    text: 'string'
  }
};
