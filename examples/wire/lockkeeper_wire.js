// SPDX-License-Identifier: Apache-2.0

// Puts a lock's own JavaScript client under `lockkeeper validate --wire` (docs/howto/test_unmodified_clients.md).
//
//   const {serve} = require('./lockkeeper_wire');
//   serve((key, lost) => ({acquire: async () => ..., release: async () => ..., close: async () => ...}));
//   serve(setup, async () => ...);   // once, on an empty server: what is there when a run begins
//
// An operation that resolves to false is refused, for a release or a renewal: lost; a number is the
// moment, as Date.now() has it, until which the lock is held; {until, for, token} says more: `for` is
// how many milliseconds it is held from now on; a rejection is an error. A release that does not say
// whether it was in time resolves to 'done'. An operation with a number in the script is given it.
// Its second argument is the weight of the call (3 of 10 permits), undefined where the script says none. Nobody
// sees whether an acquire takes that argument: one that does not takes less than it was asked for, and the lock
// is blamed. For a call that asks for several keys at once `setup` is given an array of them.
// `lost()` may be called at any time: a watchdog has seen that the lock is lost. `close` ends what
// the client has opened; it is awaited before the next run.
// The harness gives each process random numbers that repeat, whichever way it draws them.
'use strict';

exports.serve = function serve(setup, prepare) {
  const say = (line) => process.stdout.write(line + '\n');
  let locks = new Map();

  // `more`: "5", the script's number, "with=b,c", other keys, and "weight=3", where there are any.
  async function operation(word, key, ...more) {
    if (word === 'prepare' && prepare) return result(word, prepare);
    const said = (name) => more.find((part) => part.startsWith(name))?.slice(name.length);
    const number = more.find((part) => !part.includes('='));
    const others = said('with=');
    const keys = others === undefined ? key : `${key},${others}`;
    if (!locks.has(keys)) locks.set(keys, setup(others === undefined ? key : keys.split(','), () => say(`! lost ${key}`)));
    const lock = await locks.get(keys);
    const number_of = (text) => text === undefined ? undefined : Number(text);
    return lock[word] ? result(word, () => lock[word](number_of(number), number_of(said('weight=')))) : 'unsupported';
  }

  function granted(given) {
    const until = typeof given.until === 'number' ? given.until : undefined;
    const lasts = typeof given.for === 'number' ? given.for : undefined;
    const token = Number.isInteger(given.token) || typeof given.token === 'bigint' ? given.token : undefined;
    return 'ok' + (until === undefined ? '' : ` until=${(until / 1000).toFixed(6)}`) +
        (lasts === undefined ? '' : ` for=${(lasts / 1000).toFixed(6)}`) +
        (token === undefined ? '' : ` token=${token}`);
  }

  async function result(word, run) {
    try {
      const given = await run();
      if (given === 'done') return 'done';
      if (given === false) return word === 'acquire' ? 'refused' : 'lost';
      if (typeof given === 'number') return granted({until: given});
      return granted(given instanceof Object ? given : {});
    } catch (error) {
      return `error ${error?.name}: ${error?.message}`.replace(/\n/g, ' ');
    }
  }

  // Whoever is cut off already has nothing to close.
  async function close() {
    const closing = [...locks.values()];
    locks = new Map();
    for (const lock of closing) {
      try {
        await (await lock).close?.();
      } catch {
      }
    }
  }

  // Of what is left, timers act in the next run.
  async function closed() {
    await close();
    await new Promise(setImmediate);
    const left = globalThis[Symbol.for('lockkeeper.left')]?.() ?? [];
    return left.length === 0 ? 'ready' : `ready left ${left.slice(0, 3).join(', ')}`.replace(/\n/g, ' ');
  }

  async function answer(line) {
    const [word, key, ...more] = line.split(' ');
    if (word === 'close') return closed();
    if (word !== 'reset') return operation(word, key, ...more);
    await close();
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
  say(prepare ? 'ready reset close prepare' : 'ready reset close');
};
