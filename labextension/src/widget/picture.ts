/**
 * What the widget keeps for a notebook that is read without a kernel: the newest it was told of the session.
 *
 * It stands in the widget's state in the front end alone, which front ends save with the notebook.
 */
import { ICompositionReply, IOverviewReply } from '../protocol';
import { Inspection } from '../inspector/inspection';
import { IPicture } from '../inspector/state';
import { compositionOf, overviewOf } from '../inspector/wanted';
import { IWidgetModel } from './source';

const NAME = 'picture';

// A notebook is not to grow with the session: what is kept has a bound.
const MAX_PARTS = 200;
const MAX_REQUESTS = 500;
const MAX_ENTRIES = 50;

type KeptModel = Pick<IWidgetModel, 'get' | 'set'>;

/** What `model` was saved with; `null` where it was not, or by another version. */
export function savedPicture(model: KeptModel): IPicture | null {
  const kept = model.get(NAME) as Partial<IPicture> | null | undefined;
  return kept?.overview?.type === 'overview' && kept.composition?.type === 'composition' ? (kept as IPicture) : null;
}

/** Keeps what `inspection` has been told, whenever it is called and that is new. */
export function keeping(model: KeptModel, inspection: Inspection): () => void {
  let kept: readonly unknown[] = [];
  return () => {
    const { state } = inspection;
    const [overview, composition] = [overviewOf(state), compositionOf(state, null)];
    if (overview && composition && !state.saved && (overview !== kept[0] || composition !== kept[1])) {
      kept = [overview, composition];
      model.set(NAME, pictureOf(overview, composition));
    }
  };
}

function pictureOf(overview: IOverviewReply, composition: ICompositionReply): IPicture {
  const { parts } = composition;
  const largest = new Set([...parts].sort((one, other) => other.tokens - one.tokens).slice(0, MAX_PARTS));
  return {
    overview: {
      ...overview,
      // Nothing runs in a picture.
      is_running: false,
      timeline: overview.timeline.slice(-MAX_REQUESTS),
      compactions: overview.compactions.slice(-MAX_ENTRIES),
      hidden: overview.hidden.slice(-MAX_ENTRIES)
    },
    composition: { ...composition, parts: parts.filter(part => largest.has(part)) },
    time: Date.now() / 1000,
    isShortened: largest.size < parts.length
  };
}
