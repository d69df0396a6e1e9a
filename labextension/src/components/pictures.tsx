/**
 * Pictures that came over the comm; nothing is fetched for them.
 */
import * as React from 'react';

import { IImage } from '../protocol';

// An SVG is a document, and may be large or busy for nothing.
const TYPES = ['image/gif', 'image/jpeg', 'image/png', 'image/webp'];

export interface IPicturesProps {
  readonly images: readonly IImage[];
  readonly alt: string;
}

export function Pictures({ images, alt }: IPicturesProps): React.JSX.Element | null {
  const shown = images.filter(image => TYPES.includes(image.mime_type));
  return shown.length === 0 ? null : (
    <div className="jp-pi-Pictures">
      {shown.map((image, place) => (
        <img key={place} src={`data:${image.mime_type};base64,${image.data}`} alt={alt} />
      ))}
    </div>
  );
}
