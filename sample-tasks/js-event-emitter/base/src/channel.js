"use strict";

/**
 * Sends messages over a shared link. While the link is congested, a channel keeps its messages and waits
 * for the link's next "drain"; one that is closed meanwhile stops waiting and drops them.
 */
class Channel {
  #link;
  #queue = [];
  #flush = () => {
    for (const message of this.#queue.splice(0)) {
      this.#link.write(message);
    }
  };

  constructor(link) {
    this.#link = link;
  }

  send(message) {
    if (!this.#link.congested) {
      this.#link.write(message);
      return;
    }
    if (this.#queue.length === 0) {
      this.#link.events.once("drain", this.#flush);
    }
    this.#queue.push(message);
  }

  close() {
    this.#link.events.off("drain", this.#flush);
    this.#queue.length = 0;
  }
}

module.exports = { Channel };
