// SPDX-License-Identifier: Apache-2.0

// redis-lock by node-redis 4. Who finds the key waits 50 ms and asks again.
'use strict';

const {load, serve} = require('./installed');
const {createClient} = load('redis-4');
const redisLock = load('redis-lock');

serve(async (key) => {
  const client = createClient({url: process.env.REDIS_URL});
  client.on('error', () => {});
  await client.connect();
  const lock = redisLock(client);
  let release = null;
  return {
    acquire: async () => {
      release = await lock(key, 10000);
      return true;
    },
    // It does not say whether the lock was still there.
    release: async () => (await release(), 'done'),
    close: () => client.isOpen && client.quit(),
  };
});
