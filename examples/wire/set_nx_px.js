// SPDX-License-Identifier: Apache-2.0

// A lock in Node.js, over a plain socket: SET NX PX, and a script that compares before it deletes.
// `--release-anybody`: the release deletes whoever's key it is.
'use strict';

const crypto = require('crypto');
const net = require('net');
const {serve} = require('./lockkeeper_wire');

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end " +
  'return 0';
const releasesAnybody = process.argv.includes('--release-anybody');

// One request at a time; the whole answer is one line.
class Redis {
  ask(...words) {
    if (!this.socket) {
      const opened = net.connect(Number(process.env.REDIS_PORT), process.env.REDIS_HOST);
      opened.on('error', () => {});
      // Also while nobody waits for an answer.
      opened.once('close', () => {
        this.socket = this.socket === opened ? undefined : this.socket;
      });
      this.socket = opened;
    }
    const text = words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`).join('');
    return new Promise((resolve, reject) => {
      const socket = this.socket;
      const onData = (data) => {
        socket.off('close', onClose);
        resolve(data.toString().trim());
      };
      const onClose = () => {
        socket.off('data', onData);
        reject(new Error('the connection was lost'));
      };
      socket.once('data', onData);
      socket.once('close', onClose);
      socket.write(`*${words.length}\r\n${text}`);
    });
  }
  close() {
    this.socket?.destroy();
  }
}

serve((key) => {
  const redis = new Redis();
  const token = crypto.randomBytes(8).toString('hex');
  return {
    acquire: async () => (await redis.ask('SET', key, token, 'NX', 'PX', 10000)) === '+OK',
    release: async () => {
      if (releasesAnybody) {
        await redis.ask('DEL', key);
        return true;
      }
      return (await redis.ask('EVAL', RELEASE, 1, key, token)) === ':1';
    },
    close: () => redis.close(),
  };
});
