// SPDX-License-Identifier: Apache-2.0

// Shipped scenarios have the same results in the module as by the command: the JSON of `run`, byte by byte but for
// times and memory. The files of same_answers.txt: one for each way to search each system. With LOCKKEEPER_ALL=1 all that
// the command runs within 5 s.
import assert from 'node:assert/strict';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join, relative} from 'node:path';
import {after, test} from 'node:test';

import {kRoot, maskedText, native, newEngine} from './engine.mjs';

const kAll = Boolean(process.env.LOCKKEEPER_ALL);
const kSecondsMax = kAll ? 5 : undefined;

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

const kShipped = [...jsonFiles(join(kRoot, 'scenarios'))];
const kNamed = readFileSync(join(kRoot, 'wasm/test/same_answers.txt'), 'utf8').trim().split('\n');
const kFiles = kAll ? kShipped : kNamed;
let engine = await newEngine();
let same = 0;
let slow = 0;

for (const file of kFiles) {
    test(file, async t => {
        const args = ['run', file, '--jobs', '1', '--format', 'json', '-q'];
        const expected = native(args, kSecondsMax);
        if (kAll && expected === undefined) {
            ++slow;
            t.skip(`takes the command more than ${kSecondsMax} s`);
            return;
        }
        const ended = engine.command({arguments: args, files: {[file]: readFileSync(join(kRoot, file), 'utf8')}});
        assert.equal(ended.exit_code, expected.exit_code, ended.err);
        assert.ok(JSON.parse(expected.out).files.length > 0);
        assert.equal(maskedText(ended.out), maskedText(expected.out));
        ++same;
        if (same % 100 === 0) {
            engine = await newEngine();
        }
    });
}
test('each system is among the files that are named', () => {
    const systems = files => [...new Set(files.map(file => JSON.parse(readFileSync(join(kRoot, file), 'utf8')).system))].sort();
    assert.deepEqual(systems(kNamed), systems(kShipped));
});
after(() => console.log(`# ${same} of ${kFiles.length} files have equal results${kAll ? `; ${slow} take longer than ${kSecondsMax} s` : ''}`));
