/**
 * What is said of a thing that was not done: sentences of the kernel as they are, our own in the reader's language.
 */
import { ITexts } from '../texts';

/** Why a question is rejected when there is nobody to answer it; told in words by `said`. */
export const NOBODY = 'The kernel is not connected.';

/** `reason` as the person reads it. */
export function said(reason: string, texts: ITexts): string {
  return reason === NOBODY ? texts.__('The kernel is not connected.') : reason;
}
