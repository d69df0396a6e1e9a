/**
 * What a model saw of a part: its text as it is, and its pictures.
 */
import * as React from 'react';

import { IImage } from '../../protocol';
import { ITexts } from '../../texts';

/** Pictures that can hold neither script nor address. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

interface ITextProps {
  readonly title: string;
  readonly text: string;
  readonly texts: ITexts;
}

export function SeenText({ title, text, texts }: ITextProps): React.JSX.Element {
  return (
    <figure className="jp-pi-Part-text">
      <figcaption>{title}</figcaption>
      <pre tabIndex={0} role="region" aria-label={title}>
        {text || <span className="jp-pi-Inspector-faint">{texts.__('No text.')}</span>}
      </pre>
    </figure>
  );
}

export function SeenPicture({ image, texts }: { readonly image: IImage; readonly texts: ITexts }): React.JSX.Element {
  return PICTURES.includes(image.mime_type) ? (
    <img
      className="jp-pi-Part-picture"
      src={`data:${image.mime_type};base64,${image.data}`}
      alt={texts.__('A picture that the model saw')}
    />
  ) : (
    <p className="jp-pi-Inspector-faint">{texts.__('A picture of the type %1 is not shown.', image.mime_type)}</p>
  );
}
