/**
 * The comm of one notebook's agent as a source of the inspector.
 */
import { IInspectorSource, IListener, Question, Reply } from './inspector/source';
import { AgentClient, Question as Asked } from './kernel/client';
import { IReplies } from './kernel/replies';
import { AgentModel } from './model';
import { KernelMessage } from './protocol';
import { whenReady } from './readiness';

/**
 * What answers the inspector is whatever session the notebook's kernel has.
 */
export class ModelSource implements IInspectorSource {
  constructor(model: AgentModel) {
    this._model = model;
  }

  async ask(question: Question): Promise<Reply> {
    if (this._model.state.connection.kind === 'connecting') {
      await whenReady(this._model);
    }
    return this._model.ask(question as Asked<keyof IReplies>) as Promise<Reply>;
  }

  subscribe(listener: IListener): () => void {
    let wasReady = this._model.isReady;
    const onReceived = (_: AgentClient, message: KernelMessage): void => {
      if (message.type === 'inspection_changed') {
        listener.changed();
      }
    };
    const onChanged = (): void => {
      if (this._model.isReady && !wasReady) {
        listener.changed();
      }
      wasReady = this._model.isReady;
    };
    this._model.received.connect(onReceived);
    this._model.changed.connect(onChanged);
    return () => {
      this._model.received.disconnect(onReceived);
      this._model.changed.disconnect(onChanged);
    };
  }

  private readonly _model: AgentModel;
}
