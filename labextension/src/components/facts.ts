/**
 * What every component is given: the language, and the means to draw what a model wrote.
 */
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';

export interface ISurroundings {
  readonly trans: TranslationBundle;
  /** Draws untrusted markdown; see `untrusted`. */
  readonly rendermime: IRenderMimeRegistry;
}
