"use strict";

/**
 * A small event emitter.
 *
 * Listeners are called in the order in which they were added. Those that are added or removed while an
 * event is being delivered count from the next event on.
 */
class Emitter {
  /** Event name -> entries. `listener` is what the caller passed in, `run` is what gets called. */
  #entries = new Map();

  /** Calls `listener` on each `event`. Returns a function that removes it again. */
  on(event, listener) {
    return this.#add(event, { listener, run: listener });
  }

  /** Calls `listener` on the next `event` only. Returns a function that removes it before that. */
  once(event, listener) {
    const entry = { listener, run: null };
    entry.run = (...values) => {
      this.#remove(event, entry);
      listener(...values);
    };
    return this.#add(event, entry);
  }

  /** Removes the newest registration of `listener`, by `on` or `once`. Returns whether there was one. */
  off(event, listener) {
    const entries = this.#entries.get(event) ?? [];
    const entry = entries.findLast((candidate) => candidate.run === listener);
    return entry !== undefined && this.#remove(event, entry);
  }

  /** Delivers `event` with `values`. Returns how many listeners were called. */
  emit(event, ...values) {
    const entries = this.#entries.get(event) ?? [];
    for (const entry of entries) {
      entry.run(...values);
    }
    return entries.length;
  }

  /** Number of listeners that wait for `event`. */
  listenerCount(event) {
    return this.#entries.get(event)?.length ?? 0;
  }

  /** Names of the events that somebody waits for. */
  eventNames() {
    return [...this.#entries.keys()];
  }

  // Lists are replaced, never changed, so that a delivery under way keeps its own.
  #add(event, entry) {
    this.#entries.set(event, [...(this.#entries.get(event) ?? []), entry]);
    return () => this.#remove(event, entry);
  }

  #remove(event, entry) {
    const before = this.#entries.get(event) ?? [];
    const after = before.filter((candidate) => candidate !== entry);
    if (after.length > 0) {
      this.#entries.set(event, after);
    } else {
      this.#entries.delete(event);
    }
    return after.length < before.length;
  }
}

module.exports = { Emitter };
