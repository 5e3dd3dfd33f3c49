// SPDX-License-Identifier: Apache-2.0

// SET PX NX by ioredis with its own settings; argv[2] says how it is closed: quit or disconnect.
// `--release-anybody`: the release deletes whoever's key it is.
'use strict';

const {randomUUID} = require('crypto');
const {load, serve} = require('./installed');
const Redis = load('ioredis');

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const closes = process.argv[2] || 'quit';
const releasesAnybody = process.argv.includes('--release-anybody');

serve((key) => {
  const redis = new Redis(process.env.REDIS_URL);
  redis.on('error', () => {});
  const token = randomUUID();
  return {
    acquire: async () => (await redis.set(key, token, 'PX', 10000, 'NX')) === 'OK',
    release: async () => releasesAnybody ? (await redis.del(key), true)
        : (await redis.eval(RELEASE, 1, key, token)) === 1,
    close: () => redis[closes](),
  };
});
