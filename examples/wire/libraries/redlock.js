// SPDX-License-Identifier: Apache-2.0

// redlock by ioredis, on every Redis that there is; argv[2] is the package: redlock-4.2.0 or redlock-5.0.0-beta.2.
// Where a call asks for several keys at once, one lock is of all of them.
// argv[3], "keys": the lock is held as long as its keys live, whatever the library says of its end.
'use strict';

const {load, serve} = require('./installed');
const package_ = process.argv[2] || 'redlock-4.2.0';
const endOf = (lock) => (process.argv[3] === 'keys' ? true : lock.expiration);
const loaded = load(package_);
const Redlock = loaded.default || loaded;
const Redis = load('ioredis');

serve((key) => {
  const servers = (process.env.REDIS_URLS || process.env.REDIS_URL).split(',').map((url) => new Redis(url));
  servers.forEach((redis) => redis.on('error', () => {}));
  const redlock = new Redlock(servers, {retryCount: 0});
  redlock.on(package_.includes('-4') ? 'clientError' : 'error', () => {});
  let lock = null;
  // What it says when the others hold.
  const isRefusal = (error) => /Exceeded 0 attempts|unable to achieve a quorum/.test(error.message);
  return {
    acquire: async () => {
      try {
        lock = await redlock[package_.includes('-4') ? 'lock' : 'acquire']([key].flat(), 10000);
        return endOf(lock);
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    },
    release: async () => {
      try {
        await (lock.unlock || lock.release).call(lock);
        return true;
      } catch (error) {
        if (isRefusal(error) || /Unable to fully release/.test(error.message)) return false;
        throw error;
      }
    },
    renew: async () => {
      try {
        lock = await lock.extend(10000);
        return endOf(lock);
      } catch (error) {
        if (isRefusal(error) || /extend/.test(error.message)) return false;
        throw error;
      }
    },
    close: () => Promise.all(servers.map((redis) => redis.quit())),
  };
});
