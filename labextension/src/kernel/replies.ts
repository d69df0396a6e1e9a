/**
 * What each question is answered with: of a panel, and of an inspector, which a widget shows too.
 */
import {
  ICompactionReply,
  ICompletionsReply,
  ICompositionReply,
  IDifferenceReply,
  IDoneReply,
  IEarlierReply,
  ILedgerReply,
  IModelsReply,
  IOutputReply,
  IOverviewReply,
  IPartReply,
  IRawReply,
  ISessionsReply
} from '../protocol';

/** The types of question that an inspector asks, with the type of their answer. */
export interface IInspectorReplies {
  inspect_overview: IOverviewReply;
  inspect_composition: ICompositionReply;
  inspect_part: IPartReply;
  inspect_difference: IDifferenceReply;
  inspect_compaction: ICompactionReply;
  inspect_ledger: ILedgerReply;
  inspect_raw: IRawReply;
  hide_entry: IDoneReply;
  restore_entry: IDoneReply;
  compact: IDoneReply;
  export: IDoneReply;
}

/** The types of request that are answered once, with the type of their answer. */
export interface IReplies extends IInspectorReplies {
  completions: ICompletionsReply;
  models: IModelsReply;
  output: IOutputReply;
  earlier: IEarlierReply;
  sessions: ISessionsReply;
  take_queued: IDoneReply;
  new_session: IDoneReply;
  resume_session: IDoneReply;
  fork_session: IDoneReply;
  fork_after: IDoneReply;
  rename_session: IDoneReply;
  delete_session: IDoneReply;
}
