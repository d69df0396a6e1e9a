/**
 * The plugins of pi-notebook's labextension, and nothing else.
 */
import { panel } from './plugin';

export default [panel];
