/**
 * What a row of the conversation remembers while it is out of view, or another notebook is in front: whether it is
 * open, since when it runs, what was written into it.
 */
import * as React from 'react';

const Memory = React.createContext<Map<string, unknown>>(new Map());

export const MemoryProvider = Memory.Provider;

/** As `useState`, kept by `key` for as long as the session is the notebook's. */
export function useMemory<T>(key: string, initial: T): [T, (value: T) => void] {
  const memory = React.useContext(Memory);
  const [value, setValue] = React.useState<T>(memory.has(key) ? (memory.get(key) as T) : initial);
  const remember = (next: T): void => {
    memory.set(key, next);
    setValue(next);
  };
  return [value, remember];
}

/**
 * Seconds since the thing of that key was first seen, counted up while it `isRunning`.
 *
 * `null` when it was never seen to run.
 */
export function useSeconds(key: string, isRunning: boolean): number | null {
  const memory = React.useContext(Memory);
  const [, setTicks] = React.useState(0);
  const [begunKey, endedKey] = [`begun ${key}`, `ended ${key}`];
  if (isRunning && !memory.has(begunKey)) {
    memory.set(begunKey, performance.now());
  } else if (!isRunning && memory.has(begunKey) && !memory.has(endedKey)) {
    memory.set(endedKey, performance.now());
  }
  React.useEffect(() => {
    if (!isRunning) {
      return;
    }
    const timer = window.setInterval(() => setTicks(ticks => ticks + 1), 1000);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  const begun = memory.get(begunKey) as number | undefined;
  const ended = (memory.get(endedKey) as number | undefined) ?? performance.now();
  return begun === undefined ? null : (ended - begun) / 1000;
}
