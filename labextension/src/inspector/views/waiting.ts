/**
 * What is said where an answer of the kernel is not there yet, or will not come.
 */
import { IView } from './view';

/** What is said in place of an answer that is not there. */
export function waitingFor({ state, around }: IView): string {
  return state.saved?.isAlone ? around.texts.__('This was not saved.') : around.texts.__('Asking the kernel …');
}
