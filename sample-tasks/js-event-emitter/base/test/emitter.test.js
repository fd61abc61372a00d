"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { Channel } = require("../src/channel.js");
const { Emitter } = require("../src/emitter.js");

/** A link that is congested until it is told otherwise. */
function congestedLink() {
  const link = { congested: true, events: new Emitter(), sent: [] };
  link.write = (message) => link.sent.push(message);
  return link;
}

test("calls listeners in order", () => {
  const emitter = new Emitter();
  const calls = [];
  emitter.on("data", (value) => calls.push(`a${value}`));
  emitter.on("data", (value) => calls.push(`b${value}`));
  assert.equal(emitter.emit("data", 1), 2);
  assert.deepEqual(calls, ["a1", "b1"]);
});

test("once listener is called once", () => {
  const emitter = new Emitter();
  let calls = 0;
  emitter.once("ready", () => calls++);
  emitter.emit("ready");
  emitter.emit("ready");
  assert.equal(calls, 1);
  assert.deepEqual(emitter.eventNames(), []);
});

test("off removes a listener", () => {
  const emitter = new Emitter();
  const listener = () => assert.fail("still called");
  emitter.on("data", listener);
  assert.equal(emitter.off("data", listener), true);
  assert.equal(emitter.off("data", listener), false);
  assert.equal(emitter.emit("data"), 0);
});

test("off removes a once listener", () => {
  const emitter = new Emitter();
  const listener = () => assert.fail("still called");
  emitter.once("ready", listener);
  assert.equal(emitter.off("ready", listener), true);
  assert.equal(emitter.emit("ready"), 0);
});

test("off takes the newest registration first", () => {
  const emitter = new Emitter();
  const calls = [];
  const listener = (value) => calls.push(value);
  emitter.on("data", listener);
  emitter.once("data", listener);
  emitter.off("data", listener);
  emitter.emit("data", 1);
  emitter.emit("data", 2);
  assert.deepEqual(calls, [1, 2]);
});

test("returned function removes a once listener", () => {
  const emitter = new Emitter();
  const remove = emitter.once("ready", () => assert.fail("still called"));
  assert.equal(remove(), true);
  assert.equal(emitter.listenerCount("ready"), 0);
});

test("removing during delivery skips nobody", () => {
  const emitter = new Emitter();
  const calls = [];
  const first = () => {
    calls.push("first");
    emitter.off("data", first);
  };
  emitter.on("data", first);
  emitter.on("data", () => calls.push("second"));
  emitter.emit("data");
  emitter.emit("data");
  assert.deepEqual(calls, ["first", "second", "second"]);
});

test("channel sends what it kept after a drain", () => {
  const link = congestedLink();
  const channel = new Channel(link);
  channel.send("one");
  channel.send("two");
  link.congested = false;
  link.events.emit("drain");
  assert.deepEqual(link.sent, ["one", "two"]);
});

test("closed channels leave nothing on the link", () => {
  const link = congestedLink();
  for (let n = 0; n < 1000; n++) {
    const channel = new Channel(link);
    channel.send(`message ${n}`);
    channel.close();
  }
  assert.equal(link.events.listenerCount("drain"), 0);
});
