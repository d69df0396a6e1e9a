/**
 * The prompts on their way to the kernel, until they have come into the conversation.
 */
import { Draft, IPromptContent } from './draft';
import { Delivery } from './keys';
import { IPromptRequest, KernelMessage } from '../protocol';

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

  /** Look whether what was sent has arrived. */
  look(message: KernelMessage): void {
    if (this._pending && hasArrived(message, this._pending.text)) {
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
