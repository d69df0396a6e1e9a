/**
 * Reading what arrives over the comm.
 */
import { KERNEL_MESSAGE_TYPES, KernelMessage } from './protocol';

/**
 * The message in `data`, or `null` when this panel does not know its type.
 *
 * A newer kernel may send more than an older panel knows; that is dropped with one warning.
 */
export function parseMessage(data: unknown): KernelMessage | null {
  const type = typeof data === 'object' && data !== null ? (data as { type?: unknown }).type : undefined;
  if (typeof type === 'string' && KERNEL_MESSAGE_TYPES.includes(type)) {
    return data as KernelMessage;
  }
  console.warn(`pi-notebook: a message of the unknown type ${String(type)} was dropped`);
  return null;
}

/** `text` without lone surrogates, which no kernel takes. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/**
 * `text` with characters that cannot be seen written as escapes.
 *
 * Code that a person consents to must not read otherwise than it runs.
 */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
