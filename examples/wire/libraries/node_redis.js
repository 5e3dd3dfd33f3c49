// SPDX-License-Identifier: Apache-2.0

// SET PX NX by node-redis; argv[2] is the package: redis-4 or redis-5.
// `--release-anybody`: the release deletes whoever's key it is.
'use strict';

const {randomUUID} = require('crypto');
const {load, serve} = require('./installed');
const {createClient} = load(process.argv[2] || 'redis-5');

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const releasesAnybody = process.argv.includes('--release-anybody');

serve(async (key) => {
  const client = createClient({url: process.env.REDIS_URL});
  client.on('error', () => {});
  await client.connect();
  const token = randomUUID();
  return {
    acquire: async () => (await client.set(key, token, {PX: 10000, NX: true})) === 'OK',
    release: async () => releasesAnybody ? (await client.del(key), true)
        : (await client.eval(RELEASE, {keys: [key], arguments: [token]})) === 1,
    close: () => client.isOpen && client.quit(),
  };
});
