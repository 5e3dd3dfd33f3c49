// SPDX-License-Identifier: Apache-2.0

// A lock in a bucket of keys and values of NATS (JetStream), by its own client. The argument says which:
//   right        a key that is created where there is none, and deleted at the revision that was created
//   looks_first  broken: the key is looked for, and then put
'use strict';

const {load, serve} = require('./installed');
const {connect, nuid, StringCodec} = load('nats');
const kind = process.argv[2] ?? 'right';

// As told it, the server's real address: no name is looked up.
const open = async () => {
  const connection = await connect({servers: process.env.LOCKKEEPER_ADDRESS, reconnect: false, noRandomize: true});
  return {connection, bucket: await connection.jetstream().views.kv('locks', {history: 1})};
};

serve(
  (key) => {
    nuid.init(); // it counts on in a process that is kept for the next run
    let opened = null;
    let held = null;
    const value = StringCodec().encode('held');
    const create = async (bucket) => {
      try {
        return await bucket.create(key, value);
      } catch (error) {
        if (error.api_error?.err_code !== 10071) throw error; // another revision: somebody has it
        return null;
      }
    };
    const put = async (bucket) => {
      const there = await bucket.get(key);
      return there?.operation === 'PUT' ? null : await bucket.put(key, value);
    };
    return {
      acquire: async () => {
        opened ??= await open();
        held = await (kind === 'looks_first' ? put : create)(opened.bucket);
        return held !== null;
      },
      release: async () => {
        const revision = held;
        held = null;
        await opened.bucket.delete(key, {previousSeq: revision});
        return true;
      },
      close: async () => {
        await opened?.connection.close();
        opened = null;
      },
    };
  },
  async () => {
    const {connection} = await open();
    await connection.close();
  },
);
