/**
 * The outputs of a cell as text, for a model to read, and the pictures among them.
 */

/** Of one cell's output; its beginning and its end are given. */
const MAX_OUTPUT_CHARS = 20_000;

/** Of one output that is there in several kinds the first. */
const PICTURES = ['image/png', 'image/jpeg'];

// Colours and the like of a terminal, which say nothing to a model.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

// As IPython writes frames, each a part of its traceback.
const CELL_FRAME = /^(?:Cell In|Input In|<ipython-input)/;
const LIBRARY_FRAME = /^File .*[\\/](?:site-packages|dist-packages|lib[\\/]python3\.\d+)[\\/]/;

/** An output as far as it has text. */
export interface IOutput {
  readonly output_type: string;
  readonly text?: string | readonly string[];
  readonly ename?: string;
  readonly evalue?: string;
  readonly traceback?: readonly string[];
  readonly data?: { readonly [mimeType: string]: unknown };
}

/** The pictures in `outputs`, of the kinds that a prompt takes; those that are no data are left out. */
export function outputPictures(outputs: readonly IOutput[]): readonly Blob[] {
  return outputs.flatMap(({ data }) => {
    const type = PICTURES.find(one => typeof data?.[one] === 'string' || Array.isArray(data?.[one]));
    const blob = type === undefined ? null : pictureIn(joined(data![type]), type);
    return blob ? [blob] : [];
  });
}

function pictureIn(base64: string, type: string): Blob | null {
  try {
    return new Blob([Uint8Array.from(window.atob(base64.replace(/\s/g, '')), byte => byte.charCodeAt(0))], { type });
  } catch {
    return null;
  }
}

/** What `outputs` say as text, with so many characters at most. */
export function outputText(outputs: readonly IOutput[], maxChars = MAX_OUTPUT_CHARS): string {
  return shortened(outputs.map(textOf).filter(Boolean).join('\n').replace(ESCAPES, '').trimEnd(), maxChars);
}

function textOf(output: IOutput): string {
  switch (output.output_type) {
    case 'stream':
      return joined(output.text);
    case 'error':
      return output.traceback?.length ? ownFrames(output.traceback) : `${output.ename}: ${output.evalue}`;
    default:
      return bundleText(output.data ?? {});
  }
}

/** A traceback without the frames of libraries, where frames of the person's own code say where it was. */
function ownFrames(traceback: readonly string[]): string {
  const plain = traceback.map(part => part.replace(ESCAPES, ''));
  const isOwn = (part: string): boolean => !LIBRARY_FRAME.test(part);
  return (plain.some(part => CELL_FRAME.test(part)) ? plain.filter(isOwn) : plain).join('\n');
}

/** What a bundle says in words; a picture is named. */
function bundleText(data: { readonly [mimeType: string]: unknown }): string {
  const pictures = Object.keys(data).filter(type => type.startsWith('image/'));
  return [joined(data['text/plain'] ?? data['text/markdown']), ...pictures.map(type => `[${type}]`)]
    .filter(Boolean)
    .join('\n');
}

/** Text as notebooks keep it, whole or in lines. */
function joined(text: unknown): string {
  return Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : '';
}

function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) {
    return text;
  }
  const half = maxChars / 2;
  return `${text.slice(0, half)}\n… ${text.length - maxChars} characters left out …\n${text.slice(-half)}`;
}
