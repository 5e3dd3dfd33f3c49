// SPDX-License-Identifier: Apache-2.0

// redlock on one Redis by ioredis; argv[2] is the package: redlock-4.2.0 or redlock-5.0.0-beta.2.
'use strict';

const {load, serve} = require('./installed');
const package_ = process.argv[2] || 'redlock-4.2.0';
const loaded = load(package_);
const Redlock = loaded.default || loaded;
const Redis = load('ioredis');

serve((key) => {
  const redis = new Redis(process.env.REDIS_URL);
  redis.on('error', () => {});
  const redlock = new Redlock([redis], {retryCount: 0});
  redlock.on(package_.includes('-4') ? 'clientError' : 'error', () => {});
  let lock = null;
  // What it says when the others hold.
  const isRefusal = (error) => /Exceeded 0 attempts|unable to achieve a quorum/.test(error.message);
  return {
    acquire: async () => {
      try {
        lock = await redlock[package_.includes('-4') ? 'lock' : 'acquire'](package_.includes('-4') ? key : [key], 10000);
        return lock.expiration;
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
        return lock.expiration;
      } catch (error) {
        if (isRefusal(error) || /extend/.test(error.message)) return false;
        throw error;
      }
    },
    close: () => redis.quit(),
  };
});
