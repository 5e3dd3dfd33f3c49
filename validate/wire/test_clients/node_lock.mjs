// SPDX-License-Identifier: Apache-2.0

// SET NX PX over a plain socket, as an ES module: argv[2] says where its token is from, argv[3] what
// else it does.
//   cleared    a timer of ten seconds that it takes back
//   refreshed  a time-out of the socket, of three seconds, which each answer puts off
//   idles      the same, and nobody listens for its end
//   lingers    a timer of two seconds, made when it is closed
//   leaves     an interval that nobody takes back
//   notes      a timer after which it believes to hold no longer, and says that only when asked
//   quits      says QUIT when it is closed, and waits for the answer
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { randomBytes, randomFill, randomFillSync, randomInt, randomUUID } from 'node:crypto';
import net from 'node:net';
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
    for (const name of Object.keys(tokens)) out += name === 'all' ? '' : await tokens[name]();
    return out;
  },
  own: () => `process ${process.pid}`,
  values: () => hex(crypto.webcrypto.getRandomValues(new Uint8Array(8))),
};
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

class Redis {
  async ask(...words) {
    if (!this.socket) {
      this.socket = net.connect(6379, '127.0.0.1');
      this.socket.on('error', () => {});
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
