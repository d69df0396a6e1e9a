/**
 * What every view of the inspector is given.
 */
import * as React from 'react';

import { ITexts } from '../../texts';
import { Deed } from '../source';
import { Action, IState } from '../state';

/** The language, and the means to draw what a model wrote. */
export interface IAround {
  readonly texts: ITexts;
  /** Draws untrusted markdown. */
  readonly Markdown: React.ComponentType<{ readonly text: string }>;
}

export interface IView {
  readonly state: IState;
  readonly around: IAround;
  readonly send: (action: Action) => void;
  /** Have something done; `meanwhile` is said until it is. */
  readonly act: (deed: Deed, meanwhile: string) => void;
  readonly retry: () => void;
}
