/**
 * The person's settings of the panel, as JupyterLab keeps them; where it keeps none, those it ships with.
 */
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import { ITexts } from './texts';

/** The values of `schema/panel.json`. */
export interface IValues {
  readonly side: 'left' | 'right';
  /** What sends the prompt; Enter alone makes a new line where it does not. */
  readonly sendKey: 'enter' | 'ctrl-enter';
  /** What becomes of a prompt that is sent while a run is on. */
  readonly whileRunning: 'steer' | 'follow_up';
  /** Whether the agent's code becomes cells of the notebook, or runs without a trace there. */
  readonly runCode: 'cells' | 'hidden';
}

export const DEFAULTS: IValues = { side: 'right', sendKey: 'enter', whileRunning: 'steer', runCode: 'cells' };

const CHOICES: { readonly [Key in keyof IValues]: readonly IValues[Key][] } = {
  side: ['left', 'right'],
  sendKey: ['enter', 'ctrl-enter'],
  whileRunning: ['steer', 'follow_up'],
  runCode: ['cells', 'hidden']
};

const SHORTCUTS = '@jupyterlab/shortcuts-extension:shortcuts';

/** The settings as others read them. */
export interface ISettings {
  readonly values: IValues;
  /** Emitted when a value has changed. */
  readonly changed: ISignal<ISettings, void>;
}

/** The values in `data`, which a person may have written; the default for each that is none. */
export function parseValues(data: ReadonlyPartialJSONObject): IValues {
  const chosen = <Key extends keyof IValues>(key: Key): IValues[Key] =>
    CHOICES[key].find(choice => choice === data[key]) ?? DEFAULTS[key];
  return {
    side: chosen('side'),
    sendKey: chosen('sendKey'),
    whileRunning: chosen('whileRunning'),
    runCode: chosen('runCode')
  };
}

/** `schema` in the reader's language, as the editor of settings shows it. */
export function inWords(schema: ISettingRegistry.ISchema, texts: ITexts): ISettingRegistry.ISchema {
  const told = <T extends Described>(one: T): T & Required<Described> => {
    const [title, description] = [one.title, one.description].map((text = '') => texts.__(text));
    return { ...one, title: title!, description: description! };
  };
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, told(property)]);
  return { ...told(schema), properties: Object.fromEntries(properties) };
}

type Described = Pick<ISettingRegistry.IProperty, 'title' | 'description'>;

/**
 * The settings of one plugin, followed as long as the page lives.
 */
export class PanelSettings implements ISettings {
  get values(): IValues {
    return this._values;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Follow what `registry` keeps for the plugin `id`, and let it be told in the language of `texts`. */
  async follow(registry: ISettingRegistry, id: string, texts: ITexts): Promise<void> {
    registry.transform(id, { fetch: plugin => ({ ...plugin, schema: inWords(plugin.schema, texts) }) });
    // JupyterLab's shortcuts fall over a plugin that has some and is loaded before their own settings.
    await registry.load(SHORTCUTS).catch(() => undefined);
    const kept = await registry.load(id);
    kept.changed.connect(() => this._set(parseValues(kept.composite)));
    this._set(parseValues(kept.composite));
  }

  private _set(values: IValues): void {
    this._values = values;
    this._changed.emit();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _values = DEFAULTS;
}
