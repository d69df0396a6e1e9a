/**
 * What a key does where the person writes. Everything here is pure.
 */
import { IValues } from '../settings';

/** What is needed to know of a key that was pressed. */
export interface IKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** True while an input method is composing, when its keys are its own. */
  readonly isComposing: boolean;
  /** 229 stands for a key of an input method where the browser has ended the composition too early. */
  readonly keyCode: number;
}

export type Delivery = 'prompt' | 'steer' | 'follow_up';

/** Whether the key belongs to an input method. */
export function isComposing(key: IKey): boolean {
  return key.isComposing || key.keyCode === 229;
}

/** Whether the key sends; `isOther` when a prompt during a run is to be delivered in the way not set. */
export function sends(key: IKey, sendKey: IValues['sendKey']): { readonly isOther: boolean } | null {
  if (key.key !== 'Enter' || key.shiftKey || isComposing(key)) {
    return null;
  }
  const isControlled = key.ctrlKey || key.metaKey;
  const isSent = sendKey === 'enter' || isControlled;
  return isSent || key.altKey ? { isOther: key.altKey } : null;
}

/** How a prompt is delivered. */
export function deliveryOf(isRunning: boolean, whileRunning: IValues['whileRunning'], isOther: boolean): Delivery {
  if (!isRunning) {
    return 'prompt';
  }
  return (whileRunning === 'steer') === isOther ? 'follow_up' : 'steer';
}
