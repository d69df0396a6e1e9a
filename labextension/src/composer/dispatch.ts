/**
 * The prompts on their way to the kernel, until they have come into the conversation.
 */
import { Draft, IPromptContent } from './draft';
import { Delivery } from './keys';
import { IPromptRequest, ISnapshotMessage, KernelMessage } from '../protocol';

/** So much of a prompt is shown of it wherever it is. */
const SHOWN_CHARS = 1000;

/** A prompt as it is sent; the nonce is the client's affair. */
type Sent = Omit<Required<IPromptRequest>, 'nonce'>;

/**
 * Sends the draft, and brings back what was not taken.
 */
export class Dispatch {
  constructor(draft: Draft, send: (request: Sent) => boolean) {
    this._draft = draft;
    this._send = send;
  }

  /** A prompt that was sent and has not come into the conversation; empty when there is none. */
  get pending(): string {
    return this._pending?.text ?? '';
  }

  /** Send the draft; false when there was nobody to send it to, and it is still there. */
  send(delivery: Delivery): boolean {
    const content = this._draft.take();
    const { text, cells } = content;
    const images = content.images.map(({ mime_type, data }) => ({ mime_type, data }));
    const isSent = this._send({ type: 'prompt', text, delivery, cells, images });
    if (isSent) {
      this._pending = content;
    } else {
      this._draft.giveBack(content);
    }
    return isSent;
  }

  /** Look whether what was sent has arrived, or is lost. */
  look(message: KernelMessage): void {
    const isGreeted = this._isGreeted;
    this._isGreeted = message.type === 'hello';
    if (isGreeted && message.type === 'snapshot' && this._pending && !holds(message, this._pending.text)) {
      // The connection was down when it was sent: it is lost, unless it is what runs.
      if (!message.status.is_running) {
        this.giveBack();
      }
    } else if (this._pending && hasArrived(message, this._pending.text)) {
      this._pending = null;
    }
  }

  /** What was not taken as a prompt is the person's to send again. */
  giveBack(): void {
    if (this._pending) {
      this._draft.giveBack(this._pending);
      this._pending = null;
    }
  }

  private readonly _draft: Draft;
  private _isGreeted = false;
  private _pending: IPromptContent | null = null;
  private readonly _send: (request: Sent) => boolean;
}

/** Whether `message` brings a prompt into the conversation, or `text` into what waits for its turn. */
function hasArrived(message: KernelMessage, text: string): boolean {
  return (
    message.type === 'snapshot' ||
    (message.type === 'events' &&
      message.events.some(
        event =>
          (event.type === 'segment' && event.segment.type === 'prompt') ||
          (event.type === 'status' && event.queued.some(queued => queued.text === text))
      ))
  );
}

/** Whether `text` is the newest prompt of the conversation, or waits for its turn; both are shown shortened. */
function holds({ status, segments }: ISnapshotMessage, text: string): boolean {
  const newest = [...segments].reverse().find(segment => segment.type === 'prompt');
  const shown = [newest?.type === 'prompt' ? newest.text : null, ...status.queued.map(queued => queued.text)];
  const begins = (whole: string): string => whole.trim().slice(0, SHOWN_CHARS);
  return shown.some(one => one !== null && begins(one) === begins(text));
}
