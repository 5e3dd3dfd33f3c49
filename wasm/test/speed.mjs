// SPDX-License-Identifier: Apache-2.0

// How fast the module is in Node.js beside the command: `node wasm/test/speed.mjs`. Each scenario by both, five times,
// one after the other; the fastest of each counts, for a busy machine is only ever slower. And what the page has to
// load.
import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';

import {kRoot, native, newEngine} from './engine.mjs';

const kTimes = Number(process.env.TIMES ?? 5);
const kScenarios = ['scenarios/canal/causes/floor_adds_a_lock.json', 'scenarios/leases/given/db_ok_means_held.json', 'scenarios/canal/repaired/over_allocation_forced.json'];

const rate = ({out}) => {
    const {states, seconds} = JSON.parse(out);
    return states / seconds;
};
for (const file of kScenarios) {
    const args = ['explore', file, '--jobs', '1', '--format', 'json', '-q', '--keep-going'];
    const files = {[file]: readFileSync(join(kRoot, file), 'utf8')};
    let command = 0;
    let module = 0;
    let states = 0;
    for (let i = 0; i < kTimes; ++i) {
        const there = native(args, 300);
        states = JSON.parse(there.out).states;
        command = Math.max(command, rate(there));
        module = Math.max(module, rate((await newEngine()).command({arguments: args, files})));
    }
    console.log(`${file}: ${states} states; command ${(command / 1e6).toFixed(3)} M states/s, module ${(module / 1e6).toFixed(3)}: ${(module / command).toFixed(2)}`);
}

const folder = join(kRoot, 'build/playground');
const sizes = path => [statSync(path).size, execFileSync('brotli', ['-q', '11', '-c', path], {maxBuffer: 1 << 28}).length];
const files = readdirSync(folder, {recursive: true}).map(name => join(folder, name)).filter(path => statSync(path).isFile());
for (const path of files) {
    const [bytes, packed] = sizes(path);
    console.log(`${path.slice(folder.length + 1)}: ${bytes} bytes, ${packed} by brotli`);
}
