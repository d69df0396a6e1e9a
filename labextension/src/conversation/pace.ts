/**
 * Letting much that happens be seen at a bearable pace.
 */
import { IDisposable } from '@lumino/disposable';

/**
 * Calls a function soon after it is asked for, in an animation frame, and never sooner than `pauseMs` after
 * the last time.
 */
export class Pace implements IDisposable {
  constructor(run: () => void, pauseMs: number) {
    this._run = run;
    this._pauseMs = pauseMs;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    cancelAnimationFrame(this._frame);
  }

  ask(): void {
    if (this._isDue || this._isDisposed) {
      return;
    }
    this._isDue = true;
    const wait = this._last + this._pauseMs - performance.now();
    if (wait > 0) {
      this._timer = window.setTimeout(() => this._atFrame(), wait);
    } else {
      this._atFrame();
    }
  }

  private _atFrame(): void {
    this._frame = requestAnimationFrame(() => {
      this._isDue = false;
      this._last = performance.now();
      this._run();
    });
  }

  private _frame = 0;
  private _isDisposed = false;
  private _isDue = false;
  private _last = -Infinity;
  private readonly _pauseMs: number;
  private readonly _run: () => void;
  private _timer = 0;
}
