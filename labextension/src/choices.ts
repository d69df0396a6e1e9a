/**
 * The models and context policies that can be chosen, as the kernel knows them.
 */
import { Ask } from './sessions';

/**
 * They are asked for when the person is about to choose: others may have come since.
 */
export class Choices {
  constructor(ask: Ask, onChanged: () => void) {
    this._ask = ask;
    this._onChanged = onChanged;
  }

  get models(): readonly string[] {
    return this._models;
  }

  get policies(): readonly string[] {
    return this._policies;
  }

  /** Learn what there is; what was known stays while the kernel does not say. */
  refresh(): void {
    this._ask({ type: 'models' }).then(
      ({ models, policies }) => {
        this._models = models;
        this._policies = policies;
        this._onChanged();
      },
      (reason: unknown) => console.debug('pi-notebook: no models', reason)
    );
  }

  private readonly _ask: Ask;
  private _models: readonly string[] = [];
  private readonly _onChanged: () => void;
  private _policies: readonly string[] = [];
}
