// SPDX-License-Identifier: Apache-2.0

// The one job in graphile-worker's queue on PostgreSQL: who works on it holds it, until it is done.
// Then there is none any more: `--check over-allocation,deadlock`.
'use strict';

const {load, serve} = require('./installed');
const {Logger, makeWorkerUtils, runOnce} = load('graphile-worker');
const {Pool} = load('pg');
const logger = new Logger(() => () => {});

serve(() => {
  const pgPool = new Pool({max: 2});
  pgPool.on('error', () => {});
  let finish = () => {};
  return {
    acquire: () => new Promise((resolve, reject) => {
      const worked = runOnce({
        pgPool, logger, noHandleSignals: true, noPreparedStatements: true,
        taskList: {work: () => new Promise((done) => {
          finish = () => (done(), worked);
          resolve();
        })},
      });
      worked.then(() => resolve(false), reject);
    }),
    release: async () => {
      await finish();
      return 'done';
    },
    close: () => pgPool.end(),
  };
}, async () => {
  const pgPool = new Pool({max: 2});
  const utils = await makeWorkerUtils({pgPool, logger});
  await utils.migrate();
  await utils.addJob('work', {});
  await utils.release();
  await pgPool.end();
});
