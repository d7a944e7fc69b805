// The clock of a game.

/** Milliseconds between two looks at the clock. */
const CLOCK_EVERY = 200;

/** Minutes and seconds. */
function clockText(milliseconds) {
  const seconds = Math.max(Math.ceil(milliseconds / 1000), 0);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Both players' time. It counts in this page alone: a page that is reloaded restarts it. */
class GameClock {
  #side; // whose time runs
  #since; // when it began to run
  #timer;

  /** `act` has `show()`, called when a second may have passed, and `over(side)` when a side has no time left. */
  constructor({ minutes, added }, act) {
    this.left = [60000 * minutes, 60000 * minutes];
    this.added = 1000 * added;
    this.act = act;
    this.#timer = setInterval(() => this.#tick(), CLOCK_EVERY);
  }

  /** The side whose time runs. */
  get running() {
    return this.#side;
  }

  start(side) {
    this.#side = side;
    this.#since = performance.now();
    this.act.show();
  }

  /** Stops the time that runs; after a move some is added. */
  stop(moved) {
    if (this.#side === undefined) return;
    this.#count();
    if (moved && this.left[this.#side] > 0) this.left[this.#side] += this.added;
    this.#side = undefined;
    this.act.show();
  }

  close() {
    clearInterval(this.#timer);
  }

  #count() {
    const now = performance.now();
    this.left[this.#side] -= now - this.#since;
    this.#since = now;
  }

  #tick() {
    if (this.#side === undefined) return;
    this.#count();
    this.act.show();
    if (this.left[this.#side] <= 0) this.act.over(this.#side);
  }
}

