// SPDX-License-Identifier: Apache-2.0

// A named queue of graphile-worker, whose jobs run one at a time: a caller holds while its job runs.
'use strict';

const {load, serve} = require('./installed');
const {Pool} = load('pg');
const {Logger, makeWorkerUtils, runTaskListOnce} = load('graphile-worker');

const logger = new Logger(() => () => {});
const JOBS = 12;  // one for each time that somebody may hold

serve(async () => {
  const pool = new Pool({max: 1});
  pool.on('error', () => {});
  let end = () => {};
  let worker = null;
  return {
    acquire: async () => {
      const client = await pool.connect();
      client.on('error', () => {});
      const begun = new Promise((resolve) => {
        worker = runTaskListOnce({logger, noHandleSignals: true}, {
          job: () => new Promise((done) => {
            end = done;
            worker.worker.release();  // takes no other job behind this one
            resolve(true);
          }),
        }, client);
      });
      const ended = worker.promise.finally(() => client.release());
      return Promise.race([begun, ended.then(() => false)]);
    },
    release: async () => {
      end();
      await worker.promise;
      return 'done';
    },
    // The pool waits for connections that are in use.
    close: async () => {
      end();
      await worker?.promise.catch(() => {});
      await pool.end();
    },
  };
}, async () => {
  const pool = new Pool({max: 1});
  const utils = await makeWorkerUtils({pgPool: pool, logger});
  await utils.migrate();
  for (let number = 0; number < JOBS; ++number) {
    await utils.addJob('job', {number}, {queueName: 'db'});
  }
  await utils.release();
  await pool.end();
});
