// SPDX-License-Identifier: Apache-2.0

// The explorer in a real Chromium, served by the command on real findings.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {kCommand, kSource, kWaitMilliseconds, launched, options, screenshot, served as servedFrom} from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out', 'explorer');

// 2 callers of the faithful canal lock: the leak takes 22 steps.
const kWrong = {version: 1, system: 'canal', check: 'safety', about: 'Two callers, one loses a unit.', parameters: {table: {warm: 2}},
    callers: [{name: 'A', count: 2, script: [{acquire: {key: 'db', max_per: 1, buckets: 2}}, {release: {key: 'db'}}]}]};
const kRight = {...kWrong, variant: 'repaired', about: 'The same, repaired.'};
// About 200 million states by the estimate: no machine ends with it while the test runs.
const kLarge = {...kRight, about: 'Many.', faults: {crashes: 3}, callers: [{...kWrong.callers[0], count: 6, repeat: 9}]};
// 324 states, callers told apart.
const kSmall = {version: 1, system: 'single_counter', check: ['leak'], callers: ['A', 'B'].map((name, i) =>
    ({name, count: 2, script: [{acquire: {key: 'db', max_per: 1, buckets: i + 1}}, {release: {key: 'db'}}]}))};
const kHostile = '<img src=x onerror=alert(1)>';

let browser;
const servers = [];
before(async () => {
    rmSync(out, {recursive: true, force: true});
    mkdirSync(join(out, 'found'), {recursive: true});
    browser = kCommand && await launched();
});
after(async () => {
    await browser?.close();
    servers.forEach(server => server.kill('SIGINT'));
});

function file(name, scenario) {
    writeFileSync(join(out, name), JSON.stringify(scenario));
    return join(out, name);
}

const served = (...files) => servedFrom(files, join(out, 'found'), servers);

// Every answer is kept, to be compared with serve_data.ts.
const answers = new Map();
async function opened(address, hash = '') {
    const context = await browser.newContext({viewport: {width: 1500, height: 1100}, acceptDownloads: true});
    context.setDefaultTimeout(kWaitMilliseconds);
    const page = await context.newPage();
    const root = new URL(address);
    page.wrong = [];
    page.read = []; // answers, which a page that is closed has no more
    page.on('pageerror', error => page.wrong.push(error.message));
    page.on('console', message => message.type() === 'error' && !/status of 4\d\d/.test(message.text()) && page.wrong.push(message.text()));
    page.on('request', request => /^https?:/.test(request.url()) && !request.url().startsWith(`${root.origin}${root.pathname}`) && page.wrong.push(`asks for ${request.url()}`));
    page.on('dialog', dialog => { page.wrong.push('a dialog'); void dialog.dismiss(); });
    page.on('response', response => {
        const name = /\/api\/(\w+)$/.exec(response.url())?.[1];
        if (name && response.ok()) {
            page.read.push(response.text().then(text => answers.set(name, [...(answers.get(name) ?? []).slice(-5), text]), () => {}));
        }
    });
    await page.goto(address + hash);
    await page.locator('.choices h2').waitFor();
    return page;
}
async function closed(page, name) {
    await screenshot(page, join(out, `${name}.png`));
    await Promise.all(page.read);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
}

const schedule = page => decodeURIComponent(new URL(page.url()).hash.slice(1));
const until = (page, selector, pattern) => page.waitForFunction(
    ([where, source]) => new RegExp(source, 's').test(document.querySelector(where)?.innerText ?? ''), [selector, pattern.source]);
// And its choices are there.
const after_step = (page, at) => until(page, '.choices[aria-busy="false"] h2', at === 0 ? /What can happen first/ : new RegExp(`after step ${at}$`));
const choice = (page, action) => page.locator(`.choice[data-action="${action}"]`);
async function take(page, action, at) {
    await choice(page, action).locator('.take').click();
    await after_step(page, at);
}
// Found by the page itself.
async function to_leak(page) {
    await page.locator('.found li[data-property="leak"]').getByRole('button', {name: 'shortest violation'}).click();
    await after_step(page, 22);
}
test('choices are taken, the address is the schedule, and replay takes it', options, async () => {
    const path = file('wrong.json', kWrong);
    const page = await opened(await served(path));
    await after_step(page, 0);
    assert.equal(await page.locator('.choice').count(), 2);
    await take(page, 's0', 1);
    await take(page, 's1', 2);
    await page.keyboard.press('1');
    await after_step(page, 3);
    assert.equal(schedule(page), 'lk1:1:s0,s1,s0');
    const replayed = spawnSync(kCommand, ['replay', path, '--schedule', schedule(page)], {cwd: kSource, encoding: 'utf8'});
    assert.match(replayed.stdout, /verdict: passed/);
    const last = await page.locator('.state-panel .step-words').innerText();
    assert.ok(replayed.stdout.includes(last.split(' ').slice(0, 3).join(' ')), last);
    await page.reload();
    await after_step(page, 3);
    await closed(page, 'choices');
});

test('undo, redo, a step back, the browser’s own back', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await take(page, 's0', 1);
    await take(page, 's0', 2);
    await page.getByRole('button', {name: 'undo', exact: true}).click();
    await after_step(page, 1);
    await page.getByRole('button', {name: 'redo', exact: true}).click();
    await after_step(page, 2);
    await page.goBack();
    await after_step(page, 1);
    await page.keyboard.press('r');
    await after_step(page, 2);
    await page.keyboard.press('Backspace');
    await after_step(page, 1);
    assert.equal(schedule(page), 'lk1:1:s0*2'); // the step is still there
    assert.ok(await choice(page, 's0').evaluate(node => node.classList.contains('taken')));
    await page.getByRole('button', {name: 'cut here'}).click();
    await page.waitForFunction(() => decodeURIComponent(location.hash) === '#lk1:1:s0');
    await page.getByRole('button', {name: 'start again', exact: true}).click();
    await after_step(page, 0);
    await closed(page, 'undo');
});

test('a choice shows what it changes, what it violates, and what lies ahead', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    assert.match(await choice(page, 's0').locator('.changes').innerText(), /A1 is in a call\s+no → yes/);
    await to_leak(page);
    assert.match(await page.locator('.run-section h2').innerText(), /P2 leak in 22 steps/);
    await page.keyboard.press('Backspace');
    await after_step(page, 21);
    const last = page.locator('.choice.violating');
    assert.match(await last.innerText(), /violates leak/);
    await page.keyboard.press('Backspace');
    await after_step(page, 20);
    await page.locator('button.ahead').first().waitFor();
    assert.match(await page.locator('.choice.taken .ahead').innerText(), /leak in 2 steps/);
    await page.locator('.choice.taken button.ahead').click();
    await after_step(page, 22);
    await closed(page, 'ahead');
});

test('another choice at an earlier step is a branch, and both stay', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await to_leak(page);
    await page.locator('.step-row[data-step="5"]').scrollIntoViewIfNeeded();
    await page.locator('.step-row[data-step="5"]').click();
    await after_step(page, 5);
    const other = page.locator('.choice:not(.taken)').first();
    await other.locator('.take').click();
    await after_step(page, 6);
    assert.equal(await page.locator('.branches li').count(), 2);
    await page.locator('.branches .link').first().click();
    await after_step(page, 22);
    await closed(page, 'branches');
});

test('bookmarks keep a place over a reload', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await take(page, 's0', 1);
    await page.getByLabel('Name of the bookmark').fill(kHostile);
    await page.getByRole('button', {name: 'bookmark', exact: true}).click();
    await take(page, 's1', 2);
    await page.reload();
    await after_step(page, 2);
    await page.locator('.branches').getByRole('button', {name: kHostile, exact: true}).click();
    await after_step(page, 1);
    await until(page, '.run-head', /1 step/); // step 1 of the run before has the same choices
    await page.getByRole('button', {name: `Remove bookmark ${kHostile}`}).click();
    await page.keyboard.press('b');
    await until(page, '.branches', /1 step/);
    await closed(page, 'bookmarks');
});

test('states that were seen before have a badge', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await take(page, 's0', 1);
    await take(page, 's1', 2);
    await page.getByRole('button', {name: 'start again', exact: true}).click();
    await after_step(page, 0);
    assert.match(await choice(page, 's0').locator('.seen').innerText(), /seen before/);
    assert.match(await choice(page, 's1').locator('.seen').innerText(), /callers exchanged/);
    await closed(page, 'seen');
});

test('a livelock is gone to as a cycle, and its states as such', options, async () => {
    const page = await opened(await served('scenarios/transactional/broken/try_refuses_the_free.json'));
    await page.locator('.found li[data-property="livelock"]').getByRole('button', {name: 'shortest violation'}).click();
    await page.locator('.lanes .loop-mark').waitFor();
    await page.keyboard.press('Backspace');
    await page.locator('.choice.taken .seen.back').waitFor();
    assert.match(await page.locator('.choice.taken .seen.back').innerText(), /back to the state after step \d+/);
    await closed(page, 'livelock');
});

test('watches show the step before, now, and what a choice makes of them', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    const watch = async text => {
        await page.getByLabel('Expression').fill(text);
        await page.getByRole('button', {name: 'watch', exact: true}).click();
    };
    await watch('counter("db", 1) - believed("A1") > 0 ? "counted" : "free"');
    await watch('calling("A1") + calling("A2")');
    await until(page, '.watches', /free.*0/);
    await until(page, '.choice[data-action="s0"] .watched', /→ counted/);
    await take(page, 's0', 1);
    await until(page, '.watches tr.changed', /free\s+counted/);
    await watch('believed("nobody")');
    await until(page, '.watches .warning', /no caller is called nobody/);
    await watch('constructor("alert(1)")()');
    await until(page, '.watches .warning', /called|unknown name/);
    await watch('1 +');
    await until(page, '.watches .warning', /./);
    await page.reload();
    await until(page, '.watches', /calling/);
    await page.getByRole('button', {name: 'Remove calling("A1") + calling("A2")'}).click();
    assert.equal(await page.locator('.watches tbody tr').count(), 1);
    await closed(page, 'watches');
});

test('a random run goes on from the selected step', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await take(page, 's1', 1);
    await page.getByLabel('Steps at most').fill('7');
    await page.getByLabel('Steps at most').press('Tab');
    await page.getByLabel('Strategy').selectOption('rare-faults');
    await page.getByRole('button', {name: 'random run'}).click();
    await after_step(page, 8);
    assert.match(schedule(page), /^lk1:1:s1/);
    await until(page, '.random .told', /7 steps with seed 1, ended by steps/);
    assert.equal(await page.getByLabel('Seed').inputValue(), '2');
    await closed(page, 'random');
});

test('an exploration shows what it found, and a right lock keeps its promises', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong), file('right.json', kRight)));
    await page.getByRole('button', {name: 'explore all states'}).click();
    await until(page, '.progress', /violated.*all states were seen/);
    await page.locator('.found li[data-property="leak"] .badge').click();
    await after_step(page, 22);
    await page.getByLabel('File', {exact: true}).selectOption('1');
    await after_step(page, 0);
    await until(page, '.file-head', /canal\/repaired/);
    await page.getByRole('button', {name: 'explore all states'}).click();
    await until(page, '.progress', /passed.*all states were seen/);
    assert.match(await page.locator('.found li[data-property="leak"]').innerText(), /holds/);
    await until(page, '.choice .ahead', /nothing ahead|none within/);
    await closed(page, 'right');
});

test('the page goes on while an exploration of millions runs', options, async () => {
    const page = await opened(await served(file('large.json', kLarge)));
    await after_step(page, 0); // a key before the choices are there does nothing
    const states = async () => Number(((await page.locator('.progress').innerText()).match(/^([\d,]+) states/m)?.[1] ?? '0').replaceAll(',', ''));
    await page.getByRole('button', {name: 'explore all states'}).click();
    await until(page, '.progress', /[1-9][\d,]* states/);
    const begun = await states();
    for (let at = 1; at <= 10; ++at) {
        await page.keyboard.press('1');
        await after_step(page, at);
    }
    await page.waitForFunction(least => Number((document.querySelector('.progress')?.innerText.match(/([\d,]+) states/)?.[1] ?? '0').replaceAll(',', '')) > least, begun);
    await page.getByRole('button', {name: 'cancel'}).click();
    await until(page, '.progress', /inconclusive.*ended by: cancelled/);
    await closed(page, 'large');
});

test('the states around are a graph, and a click goes to one', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await take(page, 's0', 1);
    await page.locator('.graph-panel summary').click();
    await page.getByLabel('States at most').selectOption('20');
    await page.locator('.graph-panel [data-states="20"]').waitFor();
    assert.equal(await page.locator('.state-graph .node').count(), 20);
    await page.locator('.state-graph .node').nth(12).click();
    await page.waitForFunction(() => !/lk1:1:s0$/.test(decodeURIComponent(location.hash)));
    assert.match(schedule(page), /^lk1:1:s0/);
    await page.getByLabel('Graph from').selectOption('beginning');
    await until(page, '.graph-panel .count', /20 states, \d+ steps; \d+ more/);
    await closed(page, 'graph');
});

test('of a small scope the graph is whole, with its ends and its violations', options, async () => {
    const page = await opened(await served(file('small.json', kSmall)));
    await page.locator('.graph-panel summary').click();
    await page.getByLabel('Graph from').selectOption('beginning');
    await page.getByLabel('States at most').selectOption('400');
    await until(page, '.graph-panel .count', /^324 states.*all there are/);
    await page.locator('.state-graph .edge.violating, .state-graph .node.violating').first().waitFor();
    await page.locator('.state-graph .node.finished').first().waitFor();
    await closed(page, 'small_scope');
});

test('numbers, checks and text are changed, and it starts again', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await page.getByRole('button', {name: 'change and start again…'}).click();
    await page.getByLabel('crashes', {exact: true}).fill('1');
    await page.getByLabel('callers', {exact: true}).fill('3');
    await page.locator('dialog fieldset').getByLabel('leak', {exact: true}).uncheck();
    await page.locator('dialog').getByRole('button', {name: 'start again', exact: true}).click();
    await until(page, '.file-head', /3 callers.*crashes 1/);
    await take(page, 's2', 1);
    assert.ok(await page.locator('.choice.faulty').count() > 0);
    assert.equal(await page.locator('.found li[data-property="leak"]').count(), 0);
    assert.match(page.url(), /\/1#/);
    await page.getByRole('button', {name: 'change and start again…'}).click();
    await page.getByRole('button', {name: 'the scenario’s text'}).click();
    const text = await page.getByLabel('Scenario', {exact: true}).inputValue();
    await page.getByLabel('Scenario', {exact: true}).fill(text.replace('"max_per"', '"max_pre"'));
    await page.getByRole('button', {name: 'start again with it'}).click();
    await until(page, 'dialog .warning', /max_pre.*line \d+/);
    await page.getByLabel('Scenario', {exact: true}).fill(text.replace('"faithful"', '"repaired"').replace(/"about": "[^"]*"/, `"about": ${JSON.stringify(kHostile)}`));
    await page.getByRole('button', {name: 'start again with it'}).click();
    await page.locator('.file-head .about').getByText(kHostile).waitFor();
    await closed(page, 'edit');
});

test('a run is saved as trace and as scenario, and the verbs take both', options, async () => {
    const page = await opened(await served(file('wrong.json', kWrong)));
    await to_leak(page);
    await page.locator('.menu.save summary').click();
    await page.getByRole('button', {name: /as scenario in/}).click();
    await until(page, '.explorer-bar .copies .told', /written: .*leak-\w+\.json/);
    await page.getByLabel('Name of the file').fill('mine');
    await page.getByRole('button', {name: /as trace in/}).click();
    await until(page, '.explorer-bar .copies .told', /mine\.trace\.json/);
    await page.getByLabel('Name of the file').fill('../mine');
    await page.getByRole('button', {name: /as trace in/}).click();
    await until(page, '.explorer-bar .copies .told', /name has letters/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'as trace, by the browser'}).click()]);
    assert.match(download.suggestedFilename(), /^leak-\w+\.trace\.json$/);
    const found = readdirSync(join(out, 'found'));
    const scenario = join(out, 'found', found.find(name => !name.endsWith('.trace.json')));
    assert.equal(spawnSync(kCommand, ['run', scenario], {cwd: kSource}).status, 0);
    assert.equal(JSON.parse(readFileSync(scenario, 'utf8')).expect.verdict, 'violated');
    assert.equal(spawnSync(kCommand, ['replay', join(out, 'found', 'mine.trace.json')], {cwd: kSource}).status, 1);
    await closed(page, 'save');
});

test('a trace is loaded, and another way is taken at a step of it', options, async () => {
    const path = file('wrong.json', kWrong);
    spawnSync(kCommand, ['explore', path, '--out', join(out, 'traces')], {cwd: kSource});
    const trace = readdirSync(join(out, 'traces'))[0];
    const hostile = join(out, `${kHostile.replaceAll('/', '')}.trace.json`);
    copyFileSync(join(out, 'traces', trace), hostile);
    const page = await opened(await served(path));
    await page.getByLabel('File to load').setInputFiles(hostile);
    await after_step(page, 22);
    assert.ok((await page.getByLabel('File', {exact: true}).locator('option:checked').innerText()).includes('<img'));
    await page.keyboard.press('Home');
    await after_step(page, 0);
    for (let at = 1; at <= 7; ++at) {
        await page.keyboard.press('ArrowRight');
    }
    await after_step(page, 7);
    await page.locator('.choice:not(.taken) .take').first().click();
    await after_step(page, 8);
    await page.getByLabel('File to load').setInputFiles({name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('{"version": 2}')});
    await until(page, '.warning', /bad\.json/);
    await closed(page, 'trace');
});

test('an address that does not fit is said, and a hostile one does nothing', options, async () => {
    const address = await served(file('wrong.json', kWrong));
    const page = await opened(address, '#lk1:1:s0,s9,s0');
    await until(page, '.warning', /step 2: action s9 is not possible/);
    await after_step(page, 1);
    await page.goto(`${address}#lk1:1:${encodeURIComponent(kHostile)}`);
    await until(page, '.warning', /character 7/);
    await closed(page, 'address');
});

test('outside code is walked like a model, without what only models know', options, async () => {
    const limiter = {version: 1, system: 'program', callers: [{name: 'A', count: 2, script: [{acquire: {key: 'db', max_per: 1}}, {release: {key: 'db'}}]}]};
    const path = file('limiter.json', limiter);
    const command = 'python3 examples/outside/counter.py';
    const page = await opened(await served('--program', command, path));
    await after_step(page, 0);
    assert.equal(await page.locator('.file-head code').innerText(), command);
    for (const absent of ['change and start again…', 'as scenario with what it expects, by the browser']) {
        assert.equal(await page.getByRole('button', {name: absent}).count(), 0, absent);
    }
    await take(page, 's0', 1);
    await take(page, 's1', 2);
    await take(page, 's0', 3);
    await choice(page, 's1').locator('.violating, .badge.bad').first().waitFor();
    await take(page, 's1', 4);
    assert.match(await page.locator('.run-section h2').innerText(), /P1 over-allocation in 4 steps/);
    const replayed = spawnSync(kCommand, ['validate', '--program', command, path, '--replay-choices', schedule(page)], {cwd: kSource, encoding: 'utf8'});
    assert.equal(replayed.status, 1, replayed.stdout);
    await page.getByRole('button', {name: 'explore all schedules'}).click();
    await until(page, '.search .progress', /violated/);
    await closed(page, 'outside');
});

test('nothing is to be had without the token', options, async () => {
    const address = new URL(await served(file('wrong.json', kWrong)));
    const context = await browser.newContext();
    context.setDefaultTimeout(kWaitMilliseconds);
    const page = await context.newPage();
    assert.equal((await page.goto(`${address.origin}/`)).status(), 403);
    // A page of another origin, which a person is looking at.
    await page.goto('data:text/html,<title>other</title>');
    assert.equal(await page.evaluate(url => fetch(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'})
        .then(() => 'answered', () => 'refused'), `${address.href}api/files`), 'refused');
    await context.close();
});

test('every answer keeps to serve_data.ts', options, () => {
    const types = {files: 'FilesAnswer', scenario: 'ScenarioAnswer', open: 'OpenFile', edit: 'OpenFile', change: 'OpenFile', run: 'RunAnswer', choices: 'ChoicesAnswer',
        ahead: 'AheadAnswer', graph: 'GraphAnswer', random: 'RandomAnswer', explore: 'ExplorationAnswer', exploration: 'ExplorationAnswer', cancel: 'ExplorationAnswer', save: 'SaveAnswer'};
    assert.deepEqual([...answers.keys()].sort(), Object.keys(types).sort()); // each at least once
    const kept = [...answers].flatMap(([name, texts]) => texts.map((text, i) => `export const ${name}_${i}: data.${types[name]} = ${text};\n`));
    writeFileSync(join(out, 'answers.ts'), `import type * as data from '../../../src/serve_data';\n${kept.join('')}`);
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify({extends: '../../../tsconfig.json', include: ['answers.ts']}));
    const compiled = spawnSync(join(here, '../node_modules/.bin/tsc'), ['--project', out], {encoding: 'utf8'});
    assert.equal(compiled.status, 0, compiled.stdout);
});
