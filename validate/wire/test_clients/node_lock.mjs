// SPDX-License-Identifier: Apache-2.0

// SET NX PX over a plain socket, as an ES module: argv[2] says where its token is from ("unlike": the kernel, another
// one each time), argv[3] what else it does.
//   cleared    a timer of ten seconds that it takes back
//   refreshed  a time-out of the socket, of three seconds, which each answer puts off
//   idles      the same, and nobody listens for its end
//   lingers    a timer of two seconds, made when it is closed
//   leaves     an interval that nobody takes back
//   notes      a timer after which it believes to hold no longer, and says that only when asked
//   returns    connects again as soon as its connection is lost, as node-redis does
//   two_loops  a timer of each second, and a thread with one of half a second that it takes back
//   quits      says QUIT when it is closed, and waits for the answer
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { randomBytes, randomFill, randomFillSync, randomInt, randomUUID } from 'node:crypto';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import crypto from 'node:crypto';

const { serve } = createRequire(import.meta.url)('../../../examples/wire/lockkeeper_wire');
const [from, also] = process.argv.slice(2);
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const tokens = {
  math: () => String(Math.random()),
  bytes: () => hex(randomBytes(8)),
  callback: async () => hex(await promisify(randomBytes)(8)),
  fill: async () => hex(await promisify(randomFill)(Buffer.alloc(8))),
  filled: () => hex(randomFillSync(new Uint16Array(4), 1)),
  int: () => String(randomInt(1, 2 ** 40)),
  named: () => randomUUID(),
  web: () => crypto.webcrypto.randomUUID(),
  all: async () => {
    let out = '';
    for (const name of Object.keys(tokens)) out += name === 'all' || name === 'unlike' ? '' : await tokens[name]();
    return out;
  },
  own: () => `process ${process.pid}`,
  unlike: () => readFileSync('/proc/sys/kernel/random/uuid', 'latin1').trim(),
  values: () => hex(crypto.webcrypto.getRandomValues(new Uint8Array(8))),
};
const THREAD = `require('worker_threads').parentPort.on('message', () => {}); clearTimeout(setTimeout(() => {}, 500));`;
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

class Redis {
  connect() {
    const socket = net.connect(6379, '127.0.0.1');
    socket.on('error', () => {});
    if (also === 'returns') socket.on('end', () => { this.socket = this.connect(); });
    return socket;
  }

  async ask(...words) {
    if (!this.socket) {
      this.socket = this.connect();
      if (also === 'refreshed') this.socket.setTimeout(3_000, () => {});
      if (also === 'idles') this.socket.setTimeout(3_000);
      await once(this.socket, 'connect');
    }
    this.socket.write(`*${words.length}\r\n` +
        words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`).join(''));
    const [data] = await once(this.socket, 'data');
    return data.toString();
  }
}

serve((key) => {
  const redis = new Redis();
  let token = null;
  let holds = false;
  let timer = null;
  return {
    acquire: async () => {
      token ??= await tokens[from]();
      if (also === 'cleared') clearTimeout(setTimeout(() => {}, 10_000));
      if (also === 'two_loops') {
        await once(new Worker(THREAD, {eval: true}), 'online');
        setInterval(() => {}, 1_000);
      }
      if (also === 'leaves') setInterval(() => {}, 10_000);
      holds = (await redis.ask('SET', key, token, 'NX', 'PX', 10_000)) === '+OK\r\n';
      if (also === 'notes' && holds) timer = setTimeout(() => { holds = false; }, 9_000);
      return holds;
    },
    release: async () => {
      clearTimeout(timer);
      if (!holds) return false;
      return (await redis.ask('EVAL', RELEASE, 1, key, token)) === ':1\r\n';
    },
    close: async () => {
      clearTimeout(timer);
      if (also === 'quits' && redis.socket) await redis.ask('QUIT');
      redis.socket?.destroy();
      if (also === 'lingers') setTimeout(() => {}, 2_000);
    },
  };
});
