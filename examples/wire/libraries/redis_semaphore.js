// SPDX-License-Identifier: Apache-2.0

// redis-semaphore on ioredis; argv[2] is the package: redis-semaphore-5.3.0 or redis-semaphore-5.4.0.
//   --semaphore N   its Semaphore of N places, else its Mutex
//   --permits N     its MultiSemaphore of N permits, of which a call takes its weight
//   --refresh       renews every 8 s by itself (its default); else never
'use strict';

const {load, serve} = require('./installed');
const {MultiSemaphore, Mutex, Semaphore} = load(process.argv[2] || 'redis-semaphore-5.4.0');
const Redis = load('ioredis');

const number_of = (flag) => process.argv.includes(flag) ? Number(process.argv[process.argv.indexOf(flag) + 1]) : 0;
const places = number_of('--semaphore');
const permits = number_of('--permits');
const refreshes = process.argv.includes('--refresh');

serve((key, lost) => {
  const redis = new Redis(process.env.REDIS_URL);
  redis.on('error', () => {});
  const options = {lockTimeout: 10000, acquireAttemptsLimit: 1, onLockLost: lost, ...(refreshes ? {} : {refreshInterval: 0})};
  let lock = places > 0 ? new Semaphore(redis, key, places, options) : new Mutex(redis, key, options);
  return {
    acquire: (number, weight = 1) => {
      if (permits > 0) lock = new MultiSemaphore(redis, key, permits, weight, options);
      return lock.tryAcquire();
    },
    // It does not say whether the lock was still there.
    release: async () => (await lock.release(), 'done'),
    close: async () => {
      lock.stopRefresh();
      await redis.quit();
    },
  };
});
