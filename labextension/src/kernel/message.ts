/**
 * Reading what arrives over the comm: what this panel does not know is left out, and said once in the console.
 */
import { IHelloMessage, KERNEL_MESSAGE, KERNEL_MESSAGE_TYPES, KernelMessage, PROTOCOL_VERSION, SHAPES } from '../protocol';

const MAX_WARNINGS = 20;

/** What was warned of; a kernel that sends one unknown thing sends more of them. */
const warned = new Set<string>();

/**
 * The message in `data`, or `null` when this panel does not know its type, or cannot read it.
 *
 * A newer kernel may send more than an older panel knows. Of a list, such as the segments of a conversation, only the
 * items are left out that are not known; whatever else a message must have and has not makes it unreadable.
 */
export function parseMessage(data: unknown): KernelMessage | null {
  const type = isObject(data) ? data['type'] : undefined;
  if (isObject(data) && type === 'hello' && data['protocol_version'] !== PROTOCOL_VERSION) {
    return strangeHello(data);
  }
  if (typeof type !== 'string' || !KERNEL_MESSAGE_TYPES.includes(type)) {
    warn(`messages of the unknown type ${short(type)} are dropped`);
    return null;
  }
  return (read(data, KERNEL_MESSAGE, type) ?? null) as KernelMessage | null;
}

/** A hello of another version of the protocol, of which no more is known than which. */
function strangeHello({ protocol_version, version }: Fields): IHelloMessage {
  warn(`version ${short(protocol_version)} of the protocol is not known: what the kernel says in it is left alone`);
  return { type: 'hello', protocol_version: Number(protocol_version) || 0, version: short(version), nonce: '', modes: [] };
}

/** `value` as `kind` wants it, without items of lists that are not so; `undefined` when it is something else. */
function read(value: unknown, kind: string, where: string): unknown {
  if (kind.endsWith('[]')) {
    return Array.isArray(value) ? readList(value, kind.slice(0, -2), where) : unread(value, where);
  }
  const kinds = kind.split('|');
  if (kinds.some(one => isPlain(value, one))) {
    return value;
  }
  const name = isObject(value) ? kinds.find(one => isOfType(value, one)) : undefined;
  return name ? readRecord(value as Fields, name, where) : unread(value, where);
}

function readList(items: readonly unknown[], kind: string, where: string): readonly unknown[] {
  const known = items.map(item => read(item, kind, where));
  return known.every((item, place) => item !== undefined && item === items[place]) ? items : known.filter(item => item !== undefined);
}

function readRecord(record: Fields, name: string, where: string): Fields | undefined {
  let known = record;
  for (const [field, kind] of Object.entries(SHAPES[name]!)) {
    const value = read(record[field], kind, `${where}.${field}`);
    if (value === undefined) {
      return undefined;
    }
    if (value !== record[field]) {
      known = { ...known, [field]: value };
    }
  }
  return known;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(value: Fields, name: string): boolean {
  const shape = SHAPES[name];
  return shape !== undefined && (!('type' in shape) || shape['type'] === `=${String(value['type'])}`);
}

function isPlain(value: unknown, kind: string): boolean {
  switch (kind) {
    case 'null':
      return value === null;
    case 'number':
      return Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === kind;
    default:
      return kind.startsWith('=') && value === kind.slice(1);
  }
}

function unread(value: unknown, where: string): undefined {
  const what = isObject(value) ? `an object of type ${short(value['type'])}` : value === null ? 'null' : typeof value;
  warn(`dropped what cannot be read as ${where}: ${what}`);
}

function short(value: unknown): string {
  return String(value).slice(0, 80);
}

function warn(what: string): void {
  if (!warned.has(what) && warned.size < MAX_WARNINGS) {
    warned.add(what);
    console.warn(`pi-notebook: ${what}`);
  }
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

/** What a program put out without the colours that it meant for a terminal. */
export function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;:]*m/g, '');
}
