/**
 * Pictures that the person pastes or drops, made small enough for a model and for the way to it.
 */
import { IImage } from '../protocol';

/** Models scale larger pictures down themselves. */
const MAX_SIDE = 1568;

/** What providers take, with room to spare. */
const MAX_BYTES = 1_000_000;

/** So many go with a prompt at most. */
export const MAX_PICTURES = 8;

const KEPT_TYPES = ['image/png', 'image/jpeg'];
const QUALITIES = [0.9, 0.75, 0.6];

/** The size in which a picture of `width` to `height` is sent. */
export function fittedSize(width: number, height: number, maxSide = MAX_SIDE): readonly [number, number] {
  const scale = Math.min(1, maxSide / Math.max(width, height, 1));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

/** The pictures among what was pasted or dropped. */
export function picturesIn(data: DataTransfer | null): readonly File[] {
  return Array.from(data?.files ?? []).filter(file => file.type.startsWith('image/'));
}

/** The picture in `file` as PNG or JPEG; rejected when the browser cannot read it. */
export async function pictureOf(file: Blob): Promise<IImage> {
  const bitmap = await createImageBitmap(file);
  try {
    const isFitting = Math.max(bitmap.width, bitmap.height) <= MAX_SIDE && file.size <= MAX_BYTES;
    const blob = isFitting && KEPT_TYPES.includes(file.type) ? file : await shrunk(bitmap);
    return { mime_type: blob.type, data: await base64(blob) };
  } finally {
    bitmap.close();
  }
}

/** Losslessly where that is small enough, else with less and less of it. */
async function shrunk(bitmap: ImageBitmap): Promise<Blob> {
  for (let side = MAX_SIDE; ; side = Math.round(side / 2)) {
    const canvas = drawn(bitmap, side);
    const png = await encoded(canvas, 'image/png');
    if (png.size <= MAX_BYTES) {
      return png;
    }
    fillBehind(canvas);
    for (const quality of QUALITIES) {
      const jpeg = await encoded(canvas, 'image/jpeg', quality);
      if (jpeg.size <= MAX_BYTES) {
        return jpeg;
      }
    }
  }
}

function drawn(bitmap: ImageBitmap, maxSide: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = fittedSize(bitmap.width, bitmap.height, maxSide);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** JPEG knows no transparency, which would be black. */
function fillBehind(canvas: HTMLCanvasElement): void {
  const context = canvas.getContext('2d');
  if (context) {
    context.globalCompositeOperation = 'destination-over';
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
}

function encoded(canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is empty.'))), type, quality);
  });
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error ?? new Error('The picture cannot be read.'));
    reader.readAsDataURL(blob);
  });
}
