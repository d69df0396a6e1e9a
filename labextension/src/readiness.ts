/**
 * Waiting for an agent that is still being reached.
 */
import { AgentModel } from './model';

/** Resolved once `model` would take a prompt, or is gone. */
export async function whenReady(model: AgentModel): Promise<void> {
  while (!model.isReady && !model.isDisposed) {
    await new Promise<void>(resolve => {
      const onChanged = (): void => {
        model.changed.disconnect(onChanged);
        resolve();
      };
      model.changed.connect(onChanged);
    });
  }
}
