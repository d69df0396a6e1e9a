/**
 * The class of events that Lumino's widgets want to be there when they are loaded, and jsdom has not.
 */
Object.assign(globalThis, { DragEvent: MouseEvent });
