// SPDX-License-Identifier: Apache-2.0

// Shipped scenarios have the same results in the module as by the command: the JSON of `run`, byte by byte but for
// times and memory. By default the 60 of each of which natively takes a moment; with LOCKKEEPER_ALL=1 all that the
// command runs within 5 s.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join, relative} from 'node:path';
import {after, test} from 'node:test';

import {kRoot, masked, native, newEngine} from './engine.mjs';

const kAll = Boolean(process.env.LOCKKEEPER_ALL);
const kSecondsMax = kAll ? 5 : 1;
const kEvery = kAll ? 1 : 6; // so many files is each that is run

function* jsonFiles(folder) {
    for (const name of readdirSync(folder).sort()) {
        const path = join(folder, name);
        if (statSync(path).isDirectory()) {
            yield* name === 'schema' ? [] : jsonFiles(path);
        } else if (name.endsWith('.json')) {
            yield relative(kRoot, path);
        }
    }
}

const kFiles = [...jsonFiles(join(kRoot, 'scenarios'))].filter((_, i) => i % kEvery === 0);
let engine = await newEngine();
let same = 0;
let slow = 0;

for (const file of kFiles) {
    test(file, async t => {
        const args = ['run', file, '--jobs', '1', '--format', 'json', '-q'];
        const expected = native(args, kSecondsMax);
        if (expected === undefined) {
            ++slow;
            t.skip(`takes the command more than ${kSecondsMax} s`);
            return;
        }
        const ended = engine.command({arguments: args, files: {[file]: readFileSync(join(kRoot, file), 'utf8')}});
        assert.equal(ended.exit_code, expected.exit_code, ended.err);
        assert.deepEqual(masked(JSON.parse(ended.out)), masked(JSON.parse(expected.out)));
        ++same;
        if (same % 100 === 0) {
            engine = await newEngine();
        }
    });
}
after(() => console.log(`# ${same} of ${kFiles.length} files have equal results; ${slow} take longer than ${kSecondsMax} s`));
