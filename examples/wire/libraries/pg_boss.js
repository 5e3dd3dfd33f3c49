// SPDX-License-Identifier: Apache-2.0

// A queue of pg-boss of which one job may be active at a time; a caller holds while it has fetched a job.
// argv[2] is the package: pg-boss-11.0.7 or pg-boss-11.0.8. argv[3]:
//   singleton  a queue of that policy, with twelve jobs
//   retried    a queue of the policy "stately", with one job that has failed once, counted by the supervisor
'use strict';

const {load, serve} = require('./installed');
const PgBoss = load(process.argv[2] || 'pg-boss-11.0.8');

const isRetried = process.argv[3] === 'retried';
const JOBS = 12;  // one for each time that somebody may hold

async function open(migrate) {
  const boss = new PgBoss({max: 1, migrate, supervise: false, schedule: false});
  boss.on('error', () => {});
  await boss.start();
  return boss;
}

serve(async (key) => {
  const boss = await open(false);
  let job = null;
  return {
    acquire: async () => {
      [job] = await boss.fetch(key, {batchSize: isRetried ? 2 : 1});
      return Boolean(job);
    },
    release: async () => {
      // The next one may fetch a retried job again.
      await (isRetried ? boss.fail(key, job.id) : boss.complete(key, job.id));
      return 'done';
    },
    close: () => boss.stop({graceful: false}),
  };
}, async () => {
  const boss = await open(true);
  await boss.createQueue('db', {policy: isRetried ? 'stately' : 'singleton', retryLimit: 100});
  for (let number = 0; number < (isRetried ? 1 : JOBS); ++number) {
    await boss.send('db', {number}, {singletonKey: 'one'});
  }
  if (isRetried) {
    const [job] = await boss.fetch('db');
    await boss.fail('db', job.id);
    await boss.supervise('db');
  }
  await boss.stop({graceful: false});
});
