/**
 * The widget's comm as a source of the inspector.
 */
import { IInspectorSource, IListener, Question, Reply } from '../inspector/source';
import { NOBODY } from '../kernel/questions';

/** What a front end gives a widget, as far as it is used here. */
export interface IWidgetModel {
  get(name: string): unknown;
  /** Kept with the widget; `save_changes`, which is not called here, would send it to the kernel. */
  set(name: string, value: unknown): void;
  send(content: unknown): void;
  on(event: 'msg:custom', callback: (content: unknown) => void): void;
  off(event: 'msg:custom', callback: (content: unknown) => void): void;
}

interface IAsked {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Pairs questions and answers by id. Where nobody says that a kernel is gone, a question waits for ever.
 */
export class WidgetSource implements IInspectorSource {
  constructor(model: IWidgetModel) {
    this._model = model;
    model.on('msg:custom', this._onMessage);
  }

  ask(question: Question): Promise<Reply> {
    const request_id = `${this._prefix}-${++this._count}`;
    return new Promise((resolve, reject) => {
      this._asked.set(request_id, { resolve, reject });
      try {
        this._model.send({ ...question, request_id });
      } catch {
        // The kernel was restarted: what front ends say of that is no sentence for a person.
        this._asked.delete(request_id);
        reject(new Error(NOBODY));
      }
    });
  }

  subscribe(listener: IListener): () => void {
    this._listeners.add(listener);
    return () => this._listeners.delete(listener);
  }

  dispose(): void {
    this._model.off('msg:custom', this._onMessage);
    this._asked.clear();
    this._listeners.clear();
  }

  private readonly _onMessage = (content: unknown): void => {
    const message = (content ?? {}) as { type?: unknown; request_id?: unknown; text?: unknown };
    if (message.type === 'inspection_changed') {
      this._listeners.forEach(listener => listener.changed());
      return;
    }
    if (message.request_id === '') {
      this._listeners.forEach(listener => listener.told(message as Reply));
      return;
    }
    const requestId = String(message.request_id);
    const asked = this._asked.get(requestId);
    this._asked.delete(requestId);
    if (message.type === 'failed') {
      asked?.reject(new Error(String(message.text)));
    } else {
      asked?.resolve(message as Reply);
    }
  };

  private readonly _asked = new Map<string, IAsked>();
  private _count = 0;
  private readonly _listeners = new Set<IListener>();
  private readonly _model: IWidgetModel;
  /** The views of one widget share its comm. */
  private readonly _prefix = Math.random().toString(36).slice(2);
}
