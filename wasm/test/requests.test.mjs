// SPDX-License-Identifier: Apache-2.0

// The two calls of the module, and what a page has not: it is refused with a sentence.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {kRoot, masked, newEngine} from './engine.mjs';

const kLeak = 'scenarios/canal/findings/leak_two_callers.json';
const text = readFileSync(join(kRoot, kLeak), 'utf8');
const engine = await newEngine();

test('a scenario is opened, explored, and walked to its violation', () => {
    const opened = engine.answer('open', {name: kLeak, text});
    assert.equal(opened.status, 200);
    const {answer} = engine.answer('explore', {file: opened.answer.number, schedule: 'lk1:1:', check: [], stop_at_first: true});
    assert.equal(answer.verdict, 'violated');
    assert.equal(answer.violations[0].steps, 22);
    assert.ok(engine.told.some(news => news.exploration?.phase === 'running'));
    const {answer: {run}} = engine.answer('run', {file: opened.answer.number, schedule: answer.violations[0].schedule});
    assert.equal(run.property, 'leak');
});

test('the smaller module answers the explorer as the larger, and has no command', async () => {
    const api = await newEngine(undefined, 'api');
    assert.equal(api.command, undefined);
    const answers = ({answer}) => {
        const {answer: {number}} = answer('open', {name: kLeak, text});
        const found = answer('explore', {file: number, schedule: 'lk1:1:', check: [], stop_at_first: true});
        return masked([found.answer.violations, answer('run', {file: number, schedule: found.answer.violations[0].schedule}),
            answer('choices', {file: number, schedule: 'lk1:1:s0'}), answer('open', {name: 'a.json', text: '{"sistem": 1}'})]);
    };
    assert.deepEqual(answers(api), answers(await newEngine()));
});

test('a mistake has its line and column', () => {
    const {status, answer} = engine.answer('open', {name: 'a.json', text: '{"version": 1,\n "sistem": "canal"}'});
    assert.equal(status, 400);
    assert.equal(answer.error.line, 2);
});

test('a command writes its files, and the next one finds nothing of it', () => {
    const ended = engine.command({arguments: ['explore', 'leak.json', '--report', 'r.html', '--out', 'found'], files: {'leak.json': text}});
    assert.equal(ended.exit_code, 1, ended.err);
    assert.ok(Object.keys(ended.files).includes('r.html'));
    assert.ok(Object.keys(ended.files).some(name => /^found\/.*\.trace\.json$/.test(name)), Object.keys(ended.files).join());
    const page = JSON.parse(ended.files['r.html'].trimEnd().split('\n').at(-1));
    assert.equal(page.result_version, 1);
    assert.equal(engine.command({arguments: ['explore', 'leak.json']}).exit_code, 65);
});

for (const args of [
    ['validate', '--program', 'python3 lock.py', 'leak.json'], ['validate', '--wire', 'redis', '--client', 'true'],
    ['validate', '--server', 'postgresql'], ['validate', '--server', 'erlang'], ['serve', 'leak.json'],
    ['threads', '--', './a'], ['explore', 'leak.json', '--jobs', '2'], ['playground', '.'],
]) {
    test(`lockkeeper ${args.join(' ')} is refused with a sentence`, () => {
        const ended = engine.command({arguments: args, files: {'leak.json': text}});
        assert.ok([64, 65, 2].includes(ended.exit_code) || /needs the command/.test(ended.err + ended.out), `${ended.exit_code} ${ended.out} ${ended.err}`);
        assert.match(ended.err + ended.out, /needs the command/);
    });
}
