// SPDX-License-Identifier: Apache-2.0

// Pages that the command itself has written, in a real Chromium; their data against src/data.ts.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {drawn, kCommand, kSource, kWaitMilliseconds, launched, options, screenshot} from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out', 'real');

let browser;
before(async () => {
    rmSync(out, {recursive: true, force: true});
    mkdirSync(out, {recursive: true});
    browser = kCommand && await launched();
});
after(() => browser?.close());

// Runs the command; the page that it writes, and its data.
function written(name, ...command) {
    const path = join(out, `${name}.html`);
    try {
        execFileSync(kCommand, [...command, '--report', path, '-q'], {cwd: kSource, stdio: 'pipe'});
    } catch (error) {
        assert.ok([1, 2].includes(error.status), `${command.join(' ')}: ${error.status} ${error.stderr}`);
    }
    const html = readFileSync(path, 'utf8');
    const begin = html.indexOf('id="data">') + 'id="data">'.length;
    const json = html.slice(begin, html.indexOf('</script>', begin));
    const data = JSON.parse(json);
    const type = 'result_version' in data ? 'ResultDocument' : 'history_version' in data ? 'HistoryDocument' : 'validate_against_version' in data ? 'AgainstDocument' : 'MeasureDocument';
    writeFileSync(join(out, `${name}.ts`), `import type {${type}} from '../../../src/data';\nexport const page: ${type} = ${json};\n`);
    return {address: pathToFileURL(path).href, data};
}

async function opened(address, hash = '') {
    const context = await browser.newContext({viewport: {width: 1400, height: 1000}});
    context.setDefaultTimeout(kWaitMilliseconds);
    const page = await context.newPage();
    page.wrong = [];
    page.on('pageerror', error => page.wrong.push(error.message));
    page.on('console', message => message.type() === 'error' && page.wrong.push(message.text()));
    page.on('request', request => /^https?:/.test(request.url()) && page.wrong.push(`asks for ${request.url()}`));
    await page.goto(address + hash);
    await drawn(page);
    return page;
}
async function closed(page, name) {
    await screenshot(page, join(out, `${name}.png`));
    assert.deepEqual(page.wrong, []);
    await page.context().close();
}

// Each finding: its page shows the whole run, the violating step, and the step before it on demand.
const kFindings = {
    canal: 'scenarios/canal/findings/leak_two_callers.json',
    canal_resize: 'scenarios/canal/findings/over_allocation_resize.json',
    single_counter: 'scenarios/single_counter/two_views.json#leak_resize',
    lease_db: 'scenarios/leases/findings/db_lost_renewal_and_pause.json#db_late_write',
    lease_service: 'scenarios/leases/findings/sv_late_heartbeat.json',
    lease_coordinator: 'scenarios/leases/findings/co_pause.json#co_pause',
    monglock_write: 'scenarios/monglock/write_lock/findings/two_clients.json#unprotected_effect',
    monglock_multi: 'scenarios/monglock/multi_lock/findings/reader_and_writer.json#belief_overlap',
    transactional: 'scenarios/transactional/pg/findings/stale_read_repeatable_read.json#stale_read_repeatable_read',
    innodb: 'scenarios/transactional/innodb/findings/belief_overlap_kill.json',
    session_lock_pool: 'scenarios/transactional/session_lock_pool/leak.json#leak',
};
for (const [name, file] of Object.entries(kFindings)) {
    test(`a finding of ${name}`, options, async () => {
        const {address, data} = written(name, 'explore', file);
        const run = data.violations[0];
        const count = run.trace.length;
        const page = await opened(address);
        const violating = run.trace.findIndex(step => step.violates?.length) + 1;
        assert.ok(violating > 0);
        await page.waitForFunction(at => new RegExp(`^Step ${at}\\b`).test(document.querySelector('.state-panel h3')?.innerText ?? ''), violating);
        assert.ok(await page.locator('.lanes .operation').count() >= 1);
        assert.ok(await page.locator('.lanes .property').count() >= 1);
        assert.ok(await page.locator('.step-row').count() >= Math.min(count, 10));
        await page.keyboard.press('ArrowLeft');
        await page.waitForFunction(at => new RegExp(`^(Step ${at}\\b|Before)`).test(document.querySelector('.state-panel h3').innerText), violating - 1);
        if (run.nearest) {
            await page.getByRole('button', {name: 'beside the nearest run that passes'}).click();
            await page.locator('.parts').waitFor();
            assert.match(await page.locator('.parts').innerText(), run.nearest.differs_at > 1 ? new RegExp(`part at step ${run.nearest.differs_at}`) : /differ from the first/);
        }
        await closed(page, name);
    });
}

test('a livelock', options, async () => {
    const {address, data} = written('livelock', 'explore', 'scenarios/canal/findings/livelock_crash.json');
    const page = await opened(address);
    assert.equal(await page.locator('.lanes .loop-mark').count(), 1);
    assert.match(await page.locator('.loops').innerText(), new RegExp(`Steps? ${data.violations[0].cycle_from} (to|repeats)`));
    await closed(page, 'livelock');
});

test('a directory, each scenario with its run', options, async () => {
    const {address, data} = written('directory', 'run', 'scenarios/single_counter');
    const page = await opened(address);
    assert.equal(await page.locator('.sortable tbody tr').count(), data.files.length);
    await page.locator('.sortable tbody .figure button').first().click();
    await page.locator('.run .lanes').first().waitFor();
    await closed(page, 'directory');
});

test('a lock beside a reference, with the run that differs', options, async () => {
    const {address, data} = written('against', 'validate', '--against', 'canal/repaired', 'scenarios/canal/findings/leak_two_callers.json', '--schedules', '50');
    assert.ok(data.compared[0].run.trace.length > 0);
    const page = await opened(address);
    assert.ok(await page.locator('.step-row').count() >= Math.min(data.compared[0].run.trace.length, 10));
    assert.ok(await page.locator('.lanes .operation').count() >= 1);
    await closed(page, 'against');
});

test('rates', options, async () => {
    const {address} = written('rates', 'measure', 'scenarios/measure/leak_two_callers.json');
    const page = await opened(address);
    assert.ok(await page.locator('.interval .dot').count() >= 1);
    await closed(page, 'rates');
});

test('a history', options, async () => {
    const {address, data} = written('history', 'validate', '--history', 'examples/histories/mutex_bad.jsonl', '--model', 'mutex');
    const page = await opened(address);
    assert.match(await page.locator('.history h2').innerText(), new RegExp(`${data.calls.process.length} operations`));
    await closed(page, 'history');
});

test('a replay, and a run of fuzzing', options, async () => {
    const found = written('fuzz', 'fuzz', 'scenarios/canal/findings/leak_two_callers.json', '--schedules', '2000', '--check', 'leak');
    await closed(await opened(found.address), 'fuzz');
    const {address, data} = written('replay', 'replay', 'scenarios/canal/findings/leak_two_callers.json', '--schedule', found.data.violations[0].schedule);
    assert.equal(data.files[0].trace.length, found.data.violations[0].trace.length);
    await closed(await opened(address), 'replay');
});

test('the logs of an incident: a click on a line shows its step in the lanes', options, async () => {
    const {address, data} = written('incident', 'explain', 'examples/incidents/redis_lock.log', '--model', 'lease:ttl=1s');
    const run = data.violations[0];
    const at = run.trace.findIndex(step => step.text.includes('redis_lock.log:8: ')) + 1;
    assert.ok(at > 0);
    const page = await opened(address);
    await page.locator(`.step-row[data-step="${at}"]`).scrollIntoViewIfNeeded();
    await page.locator(`.step-row[data-step="${at}"]`, {hasText: '13.080 monitor 10.0.0.8:52 SET job t3'}).click();
    await page.waitForFunction(step => new RegExp(`^Step ${step}\\b`).test(document.querySelector('.state-panel h3')?.innerText ?? ''), at);
    assert.equal(await page.locator('.lanes .step').count(), run.trace.length);
    assert.match(await page.locator('.step-row.violating').innerText(), /w1 wrote ledger[^]*does not hold/);
    await closed(page, 'incident');
});

test('results that were written as JSON', options, async () => {
    const json = join(out, 'results.json');
    const ran = spawnSync(kCommand, ['explore', kFindings.lease_db, '--format', 'json', '-q'], {cwd: kSource, encoding: 'utf8'});
    writeFileSync(json, ran.stdout);
    const {address, data} = written('document', 'report', json);
    const page = await opened(address);
    assert.equal(await page.locator('.lanes .step').count(), data.violations[0].trace.length);
    await closed(page, 'document');
});

// After the others: each page's data has the types of the contract, and no member beside them.
test('a proof for every number of callers has its picture', options, async () => {
    const {address} = written('proof', 'prove', 'scenarios/every_number/lease.json');
    const page = await opened(address);
    await page.locator('.proof').getByText('holding: at most 1').waitFor();
    assert.ok(await page.locator('.proof tbody tr').count() > 1);
    await closed(page, 'proof');
});

test('the data keeps to src/data.ts', options, () => {
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify({extends: '../../../tsconfig.json', include: ['*.ts']}));
    execFileSync(join(here, '../node_modules/.bin/tsc'), ['--project', out], {stdio: 'pipe', encoding: 'utf8'});
});
