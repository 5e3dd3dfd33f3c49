// SPDX-License-Identifier: Apache-2.0

// The one job in a queue of pg-boss on PostgreSQL: who has fetched it holds it, until it is complete.
// Then there is none any more: `--check over-allocation,deadlock`. argv[2] is the package:
// pg-boss-11.0.7 or pg-boss-11.0.8.
'use strict';

const {load, serve} = require('./installed');
const loaded = load(process.argv[2] || 'pg-boss-11.0.8');
const PgBoss = loaded.PgBoss || loaded;
const open = async () => {
  const boss = new PgBoss({user: process.env.PGUSER, host: process.env.PGHOST, port: Number(process.env.PGPORT),
    database: process.env.PGDATABASE, max: 2, supervise: false, schedule: false});
  boss.on('error', () => {});
  return boss.start();
};

serve(async () => {
  const boss = await open();
  let job = null;
  return {
    acquire: async () => {
      [job] = await boss.fetch('work');
      return Boolean(job);
    },
    release: async () => {
      await boss.complete('work', job.id);
      return 'done';
    },
    close: () => boss.stop({graceful: false, wait: true}),
  };
}, async () => {
  const boss = await open();
  await boss.createQueue('work');
  await boss.send('work', {});
  await boss.stop({graceful: false, wait: true});
});
