// SPDX-License-Identifier: Apache-2.0

// What every Node.js process of a caller loads first: random numbers that a run gets again, whichever
// way a program draws them, and a count of the timers that have ended. Node asks OpenSSL, which seeds
// itself from the processor, so that the preloaded library does not see it.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const v8 = require('v8');

// "PATH:RANDOM:TIMERS": the memory that is shared with the harness, and where in it the caller's
// random_epoch and random_seed are, and what counts its timers.
const place = /^(.+):(\d+):(\d+)$/.exec(process.env.LOCKKEEPER_WIRE_NODE || '');

// The first line that is no part of Node.js.
function made_in(stack) {
  const lines = stack.split('\n').slice(1).filter((line) => !/[( ]node:|node\.cjs:/.test(line));
  return (lines[0] || 'Node.js').trim().replace(/^at /, '');
}

function hold() {
  const file = fs.openSync(place[1], 'r+');
  const random = Number(place[2]);
  const timers = Number(place[3]);

  // SplitMix64, as the preloaded library has it, from the seed of the run on.
  const MASK = (1n << 64n) - 1n;
  const words = Buffer.alloc(16);
  let epoch = null;
  let state = 0n;
  function number() {
    fs.readSync(file, words, 0, 16, random);
    if (words.readBigUInt64LE(0) !== epoch) {
      epoch = words.readBigUInt64LE(0);
      state = words.readBigUInt64LE(8) ^ 0x6e6f6465n;
    }
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let out = state;
    out = ((out ^ (out >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    out = ((out ^ (out >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return out ^ (out >> 31n);
  }
  function fill(bytes) {
    const drawn = Buffer.alloc(8);
    for (let at = 0; at < bytes.length; at += 8) {
      drawn.writeBigUInt64LE(number());
      drawn.copy(bytes, at, 0, Math.min(8, bytes.length - at));
    }
  }
  const bytesOf = (view) => (view instanceof ArrayBuffer || view instanceof SharedArrayBuffer)
      ? Buffer.from(view) : Buffer.from(view.buffer, view.byteOffset, view.byteLength);

  Math.random = () => Number(number() >> 11n) / 2 ** 53;

  // Each does first what it did before, so that wrong arguments are the same errors.
  const plain = {...crypto};
  const later = (done, ...results) => setImmediate(done, null, ...results);
  crypto.randomBytes = crypto.pseudoRandomBytes = function randomBytes(size, done) {
    const out = plain.randomBytes(size);
    fill(out);
    return done === undefined ? out : void later(done, out);
  };
  crypto.randomFillSync = function randomFillSync(view, offset, size) {
    plain.randomFillSync(view, offset, size);
    const width = view.BYTES_PER_ELEMENT || 1;
    const from = (offset || 0) * width;
    const bytes = bytesOf(view);
    fill(bytes.subarray(from, size === undefined ? bytes.length : from + size * width));
    return view;
  };
  crypto.randomFill = function randomFill(view, ...rest) {
    const done = rest.pop();
    if (typeof done !== 'function') return plain.randomFill(view, ...rest, done);
    crypto.randomFillSync(view, ...rest);
    return void later(done, view);
  };
  crypto.randomInt = function randomInt(min, max, done) {
    if (max === undefined || typeof max === 'function') [min, max, done] = [0, min, max];
    plain.randomInt(min, max);
    const out = min + Number(number() % BigInt(max - min));
    return done === undefined ? out : void later(done, out);
  };
  function uuid() {
    const bytes = Buffer.alloc(16);
    fill(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }
  crypto.randomUUID = function randomUUID(options) {
    plain.randomUUID(options);
    return uuid();
  };
  const web = Object.getPrototypeOf(crypto.webcrypto);
  const values = web.getRandomValues;
  web.getRandomValues = function getRandomValues(view) {
    values.call(crypto.webcrypto, view);
    fill(bytesOf(view));
    return view;
  };
  if (web.randomUUID) {
    const before = web.randomUUID;
    web.randomUUID = function randomUUID() {
      before.call(crypto.webcrypto);
      return uuid();
    };
  }
  require('module').syncBuiltinESMExports();

  // A timer that was taken back, or put off, wakes the process all the same, and nothing comes of it.
  // Whoever else counts for this caller writes other numbers.
  const count = Buffer.alloc(4);
  const thread = require('worker_threads').threadId;
  let ended = 0;
  const note = () => {
    ended = (ended + 1) & 0xffff;
    count.writeUInt16LE(ended);
    count.writeUInt16LE((process.pid * 31 + thread) & 0x7fff | 0x8000, 2);
    fs.writeSync(file, count, 0, 4, timers);
  };
  note();
  // The idle time of a socket ends, and nobody has asked to hear of it.
  let wasUnheard = false;
  const sockets = require('net').Socket.prototype;
  const onIdle = sockets._onTimeout;
  if (typeof onIdle === 'function') {
    sockets._onTimeout = function onTimeout(...rest) {
      wasUnheard = this.listenerCount('timeout') === 0;
      return onIdle.apply(this, rest);
    };
  }
  let running = [];
  require('async_hooks').createHook({
    init(id, type, trigger, resource) {
      const call = type === 'Timeout' ? resource._onTimeout : undefined;
      if (typeof call === 'function') {
        resource._onTimeout = function onTimeout(...rest) {
          wasUnheard = false;
          try {
            return call.apply(this, rest);
          } finally {
            if (!wasUnheard) note();
          }
        };
        running = running.filter((timer) => !timer.resource._destroyed);
        running.push({resource, stack: new Error().stack});
      }
    },
  }).enable();

  // For drivers: what is still running, in words.
  globalThis[Symbol.for('lockkeeper.left')] = () => running.filter((timer) => !timer.resource._destroyed)
      .map(({resource, stack}) => `a timer of ${resource._idleTimeout / 1000} s, made in ${made_in(stack)}`);

  // Nobody is to wake up only to tidy.
  v8.setFlagsFromString('--no-memory-reducer');
}

if (place) hold();
