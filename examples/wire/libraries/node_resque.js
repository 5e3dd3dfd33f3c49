// SPDX-License-Identifier: Apache-2.0

// The lead of node-resque's schedulers, which each poll of one asks for; argv[2] is the package:
// node-resque-5.5.3, node-resque-5.5.4 or node-resque-9.7.1.
'use strict';

const {load, serve} = require('./installed');
const {Scheduler} = load(process.argv[2] || 'node-resque-9.7.1');

serve(async () => {
  const connection = {host: process.env.REDIS_HOST, port: Number(process.env.REDIS_PORT), pkg: 'ioredis',
    redis: new (load('ioredis'))(process.env.REDIS_URL)};
  connection.redis.on('error', () => {});
  // One name for each process, as its default has it.
  const scheduler = new Scheduler({connection, name: `host:${process.pid}`, leaderLockTimeout: 10,
    masterLockTimeout: 10});
  scheduler.on('error', () => {});
  await scheduler.connect();
  return {
    acquire: async () => Boolean(await (scheduler.tryForLeader || scheduler.tryForMaster).call(scheduler)),
    release: async () => Boolean(await (scheduler.releaseLeaderLock || scheduler.releaseMasterLock).call(scheduler)),
    close: async () => {
      await scheduler.queue.end();
      await connection.redis.quit();
    },
  };
});
