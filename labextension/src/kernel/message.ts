/**
 * Reading what arrives over the comm.
 */
import { KERNEL_MESSAGE_TYPES, KernelMessage } from '../protocol';

const MAX_WARNINGS = 20;

/** What was warned of; a kernel that sends one unknown message sends more of them. */
const warned = new Set<string>();

/**
 * The message in `data`, or `null` when this panel does not know its type.
 *
 * A newer kernel may send more than an older panel knows; each such type is dropped with one warning.
 */
export function parseMessage(data: unknown): KernelMessage | null {
  const type = typeof data === 'object' && data !== null ? (data as { type?: unknown }).type : undefined;
  if (typeof type === 'string' && KERNEL_MESSAGE_TYPES.includes(type)) {
    return data as KernelMessage;
  }
  const name = String(type).slice(0, 80);
  if (!warned.has(name) && warned.size < MAX_WARNINGS) {
    warned.add(name);
    console.warn(`pi-notebook: messages of the unknown type ${name} are dropped`);
  }
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
