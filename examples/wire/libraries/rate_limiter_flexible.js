// SPDX-License-Identifier: Apache-2.0

// RateLimiterRedis of rate-limiter-flexible, on ioredis or node-redis: argv[2] says which (ioredis, redis-4), argv[3]
// how many grants ten seconds have.
'use strict';

const {load, serve} = require('./installed');
const {RateLimiterRedis} = load('rate-limiter-flexible');

const usesIoredis = (process.argv[2] || 'ioredis') === 'ioredis';
const points = Number(process.argv[3] || 1);

async function connect() {
  const url = process.env.REDIS_URL;
  const client = usesIoredis ? new (load('ioredis'))(url) : load(process.argv[2]).createClient({url});
  client.on('error', () => {});
  if (!usesIoredis) await client.connect();
  return client;
}

serve(async (key) => {
  const client = await connect();
  const limiter = new RateLimiterRedis({storeClient: client, useRedisPackage: !usesIoredis, points, duration: 10});
  return {
    acquire: async () => {
      try {
        await limiter.consume(key);
        return true;
      } catch (refused) {
        if (refused instanceof Error) throw refused;
        return false;
      }
    },
    close: () => client.isOpen !== false && client.quit(),
  };
});
