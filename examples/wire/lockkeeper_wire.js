// SPDX-License-Identifier: Apache-2.0

// Puts a lock's own JavaScript client under `lockkeeper validate --wire` (docs/howto/test_unmodified_clients.md).
//
//   const {serve} = require('./lockkeeper_wire');
//   serve(key => ({acquire: async () => ..., release: async () => ...}));
//   serve(setup, async () => ...);   // once, on an empty server: what is there when a run begins
//
// An operation that resolves to false is refused, for a release or a renewal: lost; a number is the
// moment, as Date.now() has it, until which the lock is held; a rejection is an error. A release that
// does not say whether it was in time resolves to 'done'. Run it with
// `node --random-seed=1 --no-memory-reducer`: Math.random() repeats, and nobody wakes up to tidy.
'use strict';

const crypto = require('crypto');

// OpenSSL seeds itself from the processor. Tokens come from here.
let drawn = 1n;
function repeatable(size) {
  const out = Buffer.alloc(size);
  for (let i = 0; i < size; ++i) {
    drawn = (drawn * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    out[i] = Number(drawn >> 56n);
  }
  return out;
}
function begin() {
  drawn = BigInt(Number(process.env.LOCKKEEPER_CALLER) + 1);
}
crypto.randomBytes = (size, done) => {
  const out = repeatable(size);
  if (!done) return out;
  process.nextTick(done, null, out);
};
crypto.randomFillSync = (buffer) => {
  repeatable(buffer.byteLength).copy(Buffer.from(buffer.buffer, buffer.byteOffset));
  return buffer;
};
crypto.randomUUID = () => {
  const hex = repeatable(16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), '4' + hex.slice(13, 16), '8' + hex.slice(17, 20),
          hex.slice(20)].join('-');
};

exports.serve = function serve(setup, prepare) {
  const say = (line) => process.stdout.write(line + '\n');
  let locks = new Map();

  async function operation(word, key) {
    if (word === 'prepare' && prepare) return result(word, prepare);
    if (!locks.has(key)) locks.set(key, setup(key));
    const lock = await locks.get(key);
    return lock[word] ? result(word, () => lock[word]()) : 'unsupported';
  }

  async function result(word, run) {
    try {
      const given = await run();
      if (given === 'done') return 'done';
      if (given === false) return word === 'acquire' ? 'refused' : 'lost';
      return typeof given === 'number' ? `ok until=${(given / 1000).toFixed(6)}` : 'ok';
    } catch (error) {
      return `error ${error.name}: ${error.message}`.replace(/\n/g, ' ');
    }
  }

  async function answer(line) {
    const [word, key] = line.split(' ');
    if (word !== 'reset') return operation(word, key);
    for (const lock of locks.values()) (await lock).close?.();
    locks = new Map();
    begin();
    return 'ready';
  }

  let pending = '';
  let queue = Promise.resolve();
  process.stdin.on('data', (data) => {
    pending += data;
    for (let end; (end = pending.indexOf('\n')) >= 0; pending = pending.slice(end + 1)) {
      const line = pending.slice(0, end);
      queue = queue.then(() => answer(line)).then(say);
    }
  });
  begin();
  say(prepare ? 'ready reset prepare' : 'ready reset');
};
