// SPDX-License-Identifier: Apache-2.0

// The page in a real Chromium: every feature at least once. Needs `npm run build` before it, and
// Debian's chromium (or CHROMIUM=path).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {join} from 'node:path';

import {drawn, kWaitMilliseconds, launched, screenshot} from './browser.mjs';
import {longHistory, longRun, measured, out, pageOf, readData, resultOf, writePage} from './page.mjs';

let browser;
before(async () => { browser = await launched(); });
after(() => browser?.close());

// Nothing is asked of a network, and nothing goes wrong.
async function opened(name, data, {hash = '', ...options} = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 1000}, acceptDownloads: true, ...options});
    context.setDefaultTimeout(kWaitMilliseconds);
    const page = await context.newPage();
    page.wrong = [];
    page.on('pageerror', error => page.wrong.push(error.message));
    page.on('console', message => message.type() === 'error' && page.wrong.push(message.text()));
    page.on('request', request => /^https?:/.test(request.url()) && page.wrong.push(`asks for ${request.url()}`));
    page.on('dialog', dialog => { page.wrong.push('a dialog'); void dialog.dismiss(); });
    await page.goto(writePage(name, data) + hash);
    if (options.javaScriptEnabled !== false) {
        await drawn(page);
    }
    return page;
}
async function closed(page) {
    assert.deepEqual(page.wrong, []);
    await page.context().close();
}
// The page draws a moment later.
const until = (page, selector, pattern) => page.waitForFunction(
    ([where, source]) => new RegExp(source).test(document.querySelector(where)?.innerText ?? ''), [selector, pattern.source]);
const step = (page, at) => until(page, '.state-panel h3', new RegExp(`^Step ${at}\\b`));
const counted = (page, words) => until(page, '.run .count', new RegExp(`^${words}$`));

test('the page is small and names no network', () => {
    const html = readFileSync(join(out, '../../dist/index.html'), 'utf8');
    assert.ok(html.length < 1 << 20, `${html.length} bytes`);
    assert.match(html, /default-src 'none'/);
});

test('the first screen is readable without script', async () => {
    const page = await opened('no_script', readData('leak'), {javaScriptEnabled: false});
    const words = await page.locator('#page').innerText();
    for (const wanted of ['violated: P2 leak in 22 steps', 'capacity that nobody holds', '361 states', 'lockkeeper replay']) {
        assert.ok(words.includes(wanted), wanted);
    }
    await closed(page);
});

test('keys step through a run, and the address follows', async () => {
    const page = await opened('keys', readData('leak'));
    await step(page, 22);
    await page.keyboard.press('ArrowLeft');
    await step(page, 21);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await step(page, 1);
    await page.keyboard.press('n');
    await step(page, 5);
    assert.ok(page.url().endsWith('#v=1&s=5'));
    await page.keyboard.press('End');
    await step(page, 22);
    await closed(page);
});

test('a link names run and step', async () => {
    const page = await opened('link', readData('leak'), {hash: '#v=1&s=11'});
    await step(page, 11);
    await closed(page);
});

test('lanes show operations, three kinds of holding, messages, marks, resources, properties', async () => {
    const page = await opened('lanes', readData('leak'));
    assert.equal(await page.locator('.lanes .operation').count(), 4);
    for (const kind of ['believed', 'granted', 'protected']) {
        assert.ok(await page.locator(`.lanes-frame .holding.${kind}`).count() >= 1, kind);
    }
    assert.equal(await page.locator('.lanes .message').count(), 6);
    assert.equal(await page.locator('.lanes .step.violating').count(), 1);
    assert.equal(await page.locator('.lanes .step.decisive').count(), 1);
    assert.ok(await page.locator('.lanes .area.above').count() === 1 && await page.locator('.lanes .line.capacity').count() === 1);
    assert.equal(await page.locator('.lanes .property').count(), 4);
    assert.equal(await page.locator('.lanes .strip-broken').count(), 1);
    await closed(page);
});

const outsideBoxes = page => page.locator('.lanes .step').evaluateAll(steps => steps.filter(step => {
    const [box, text] = ['rect', 'text'].map(part => step.querySelector(part).getBoundingClientRect());
    return text.width > 0 && (text.left < box.left || text.right > box.right + 1 || text.top < box.top || text.bottom > box.bottom);
}).map(step => step.textContent));
test('a step’s label has two lines where one is too short, and one where there is room', async () => {
    const lines = page => page.locator('.lanes .step[data-step="4"] text tspan').allTextContents();
    const page = await opened('label', readData('leak'));
    assert.deepEqual(await lines(page), ['subtract', 'db[2]']);
    assert.deepEqual(await outsideBoxes(page), []);
    await closed(page);
    const wide = await opened('label_wide', readData('livelock')); // of four steps
    assert.deepEqual(await lines(wide), ['update_counter db[1]']);
    await closed(wide);
});

test('a label without a break is cut where its letters end, wide ones and narrow ones', async () => {
    const data = readData('leak');
    data.document.violations[0].trace.forEach((step, i) => { step.label = i % 2 ? `${'W'.repeat(9)}${'i'.repeat(40)}` : `${'i'.repeat(12)}${'W'.repeat(40)}`; });
    const page = await opened('label_cut', data);
    assert.deepEqual(await outsideBoxes(page), []);
    const narrow = await page.locator('.lanes .step[data-step="1"] text tspan').first().textContent();
    assert.match(narrow, /^i{12}/); // as many as have room
    await closed(page);
});

test('a click in the lanes or the list selects a step, and its state shows what changed', async () => {
    const page = await opened('click', readData('leak'));
    await page.locator('.lanes .step[data-step="2"]').click();
    await step(page, 2);
    assert.match(await page.locator('.fields .changed').first().innerText(), /A1 believes to hold db/);
    await page.locator('.step-row[data-step="4"]').scrollIntoViewIfNeeded();
    await page.locator('.step-row[data-step="4"]').click();
    await step(page, 4);
    await closed(page);
});

test('search, filter, fold', async () => {
    const page = await opened('search', readData('leak'));
    await step(page, 22);
    await page.keyboard.press('/');
    await page.keyboard.type('undo');
    await counted(page, '2 of 22 steps');
    await page.getByLabel('Search steps').fill('');
    await page.locator('.filters select').first().selectOption({label: 'manager'});
    await counted(page, '4 of 22 steps');
    await page.locator('.filters select').first().selectOption('');
    await page.getByLabel('fold other steps').check();
    await counted(page, '2 of 22 steps');
    await closed(page);
});

test('play goes on by itself', async () => {
    const page = await opened('play', readData('leak'), {hash: '#v=1&s=1'});
    await page.locator('.toolbar select').first().selectOption('30');
    await page.getByRole('button', {name: 'Play', exact: true}).click();
    await page.waitForFunction(() => /^Step 22/.test(document.querySelector('.state-panel h3').innerText));
    await closed(page);
});

test('zoom changes what is drawn, fit shows all again', async () => {
    const page = await opened('zoom', readData('leak'));
    const drawn = () => page.locator('.lanes .step').count();
    assert.equal(await drawn(), 22);
    for (let i = 0; i < 3; ++i) {
        await page.getByLabel('Zoom in').click();
    }
    await page.waitForFunction(() => document.querySelectorAll('.lanes-frame .step').length < 22);
    await page.keyboard.press('0');
    await page.waitForFunction(() => document.querySelectorAll('.lanes-frame .step').length === 22);
    await closed(page);
});

test('the axis of time', async () => {
    const page = await opened('time', readData('pause'));
    const left = async () => Number(await page.locator('.lanes .step[data-step="3"] rect').getAttribute('width'));
    const before = await left();
    await page.locator('.toolbar select').nth(1).selectOption('time');
    assert.ok(await left() > before);
    assert.ok(await page.locator('.lanes .mark.expired').count() === 1);
    await closed(page);
});

test('a step, the command, the schedule, Mermaid can be copied', async () => {
    const page = await opened('copy', readData('leak'), {hash: '#v=1&s=5', permissions: ['clipboard-read', 'clipboard-write']});
    await page.locator('.copies .told').evaluate(told => { // it is told for a moment
        window.said = [];
        new MutationObserver(() => window.said.push(told.textContent)).observe(told, {childList: true, characterData: true, subtree: true});
    });
    const copies = async (name, pattern) => {
        await page.locator('.menu').evaluate(menu => { menu.open = true; });
        await page.getByRole('menuitem', {name}).click();
        await page.waitForFunction(async source => new RegExp(source).test(await navigator.clipboard.readText()), pattern.source);
    };
    await copies('step as text', /^step 5 of 22 \(decisive\): A2 acquire/);
    await copies('replay command', /^lockkeeper replay /);
    await copies('schedule', /^lk1:1:/);
    await copies('Mermaid, the run', /^sequenceDiagram\n {4}participant p0 as A1/);
    await page.waitForFunction(() => window.said.includes('the diagram is copied'));
    await closed(page);
});

test('pictures', async () => {
    const page = await opened('picture', readData('leak'));
    for (const [name, begin] of [['picture (SVG)', '<svg'], ['picture (PNG)', '\x89PNG']]) {
        await page.locator('.menu').evaluate(menu => { menu.open = true; });
        const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', {name}).click()]);
        assert.ok(readFileSync(await file.path(), 'latin1').startsWith(begin), name);
    }
    await closed(page);
});

test('a livelock is a marked loop', async () => {
    const page = await opened('livelock', readData('livelock'));
    assert.equal(await page.locator('.lanes .loop-mark').count(), 1);
    assert.ok(await page.locator('.lanes .mark.crash').count() === 1);
    assert.match(await page.locator('.loops').innerText(), /Step 4 repeats for ever/);
    await closed(page);
});

test('a directory is a sortable table, each row with its run', async () => {
    const page = await opened('directory', readData('directory'));
    await page.locator('.sortable thead button', {hasText: 'scenario'}).click();
    const names = await page.locator('.sortable tbody tr th').allInnerTexts();
    assert.deepEqual(names, [...names].sort());
    await page.getByLabel('Search scenarios').fill('single_counter');
    assert.ok(await page.locator('.sortable tbody tr').count() < names.length);
    await page.locator('.sortable tbody .figure button').first().click();
    await page.locator('.run .lanes').first().waitFor();
    await closed(page);
});

test('comparisons with a server have their own verdicts and reasons', async () => {
    const page = await opened('server', pageOf({validate_server_version: 1, command: 'validate', version: undefined, scenarios: [
        {file: 'a.json', verdict: 'agrees', schedules: 20, steps: 9, statements: 4, exit_code: 0},
        {file: 'b.json', verdict: 'differs', schedules: 3, steps: 9, statements: 4, difference: {step: 2, text: 'A1 acquire: insert', model: 'ok', server: 'error', schedule: 'lk1', steps: 2, statements: []}, exit_code: 1},
        {file: 'c.json', verdict: 'not expressible', reason: 'the model has a fault that no server has', schedules: 0, steps: 0, statements: 0, exit_code: 65},
    ]}));
    const badges = page.locator('.sortable .badge');
    assert.deepEqual(await badges.evaluateAll(all => all.map(one => [one.textContent, getComputedStyle(one, '::before').content])),
        [['agrees', '"✓ "'], ['differs', '"✕ "'], ['not expressible', '"? "']]);
    assert.equal(await page.locator('footer').count(), 0);
    await page.locator('.sortable tbody tr').nth(2).locator('button').first().click();
    assert.match(await page.locator('.sortable').innerText(), /a fault that no server has/);
    await closed(page);
});

test('two runs side by side', async () => {
    const data = readData('leak');
    const [found] = data.document.violations;
    found.nearest = {...structuredClone(found), differs_at: 5, ends: false};
    found.nearest.trace.length = 4;
    const page = await opened('two', data);
    await page.getByRole('button', {name: 'beside the nearest run that passes'}).click();
    assert.equal(await page.locator('.comparison .lanes-frame').count(), 2);
    assert.match(await page.locator('.parts').innerText(), /same up to step 4.*part at step 5.*Below: nothing/);
    await closed(page);
});

// Markup in every text of the report.
function hostile(value, key = '') {
    const kept = ['verdict', 'kind', 'outcome', 'action', 'events', 'severity', 'property_kind'];
    if (Array.isArray(value)) {
        return value.map(item => hostile(item, key));
    }
    if (value !== null && typeof value === 'object') {
        return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hostile(item, name)]));
    }
    return typeof value === 'string' && !kept.includes(key) ? `${value}</script><!--<img src=x onerror="alert(1)"><b>&amp;'"` : value;
}

test('markup in every text is text', async () => {
    const data = hostile(readData('leak'));
    data.document.violations[0].trace[0].doc = 'javascript:alert(1)';
    const page = await opened('hostile', data, {hash: '#v=1&s=1'});
    await step(page, 1);
    assert.equal(await page.locator('#page img, #page b b, .sources a').count(), 0);
    assert.ok((await page.locator('h1').innerText()).includes('<img src=x'));
    const static_ = await opened('hostile_static', data, {javaScriptEnabled: false});
    assert.equal(await static_.locator('img').count(), 0);
    await closed(static_);
    await closed(page);
});

// Tells how long the page has worked since: its thread's time, which no other process makes longer.
async function work(page) {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', {timeDomain: 'threadTicks'});
    const total = async () => (await session.send('Performance.getMetrics')).metrics.find(({name}) => name === 'TaskDuration').value;
    const begin = await total();
    return async () => await total() - begin;
}

test('100,000 steps stay usable', async () => {
    const page = await opened('long', resultOf(longRun(100_000)));
    await step(page, '100,000');
    assert.ok(await page.locator('.step-row').count() < 60);
    await page.waitForFunction(() => document.querySelectorAll('.lanes .step').length < 400);
    const worked = await work(page);
    await page.keyboard.press('0');
    await page.keyboard.press('p');
    await step(page, '99,730');
    assert.ok(await page.locator('.lanes *').count() < 3000);
    await page.screenshot({path: join(out, 'long.png'), fullPage: true});
    assert.ok(await worked() < 4, `${await worked()} s of the processor`);
    await closed(page);
});

test('a history of 100,000 operations stays usable', async () => {
    const page = await opened('history', longHistory(100_000));
    assert.match(await page.locator('.history h2').innerText(), /100,000 operations/);
    const worked = await work(page);
    await page.getByRole('button', {name: 'without a place'}).click();
    await until(page, '.history [role=status]', /record 120001/);
    await page.getByLabel('Zoom in').click();
    await drawn(page);
    assert.ok(await worked() < 4, `${await worked()} s of the processor`);
    assert.match(await page.locator('.ladder').innerText(), /strict/);
    await page.locator('.history').screenshot({path: join(out, 'history.png')});
    await closed(page);
});

test('rates have intervals, sweeps lines, pairs of parameters a heat map, and figures to download', async () => {
    const page = await opened('rates', measured([{crash: 0}, {crash: 1}, {crash: 2}]));
    await page.locator('.uplot canvas').waitFor();
    assert.equal(await page.locator('.interval .dot').count(), 6);
    await page.locator('.uplot .u-over').hover();
    assert.match(await page.locator('.u-legend').innerText(), /leak/);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'download CSV'}).click()]);
    assert.match(readFileSync(await file.path(), 'utf8'), /^file,system,variant,crash,property,figure,value/);
    await screenshot(page, join(out, 'rates.png'));
    await closed(page);
    const heat = await opened('heat', measured([{a: 0, b: 0}, {a: 0, b: 1}, {a: 1, b: 0}, {a: 1, b: 1}]));
    assert.equal(await heat.locator('.heat tbody td').count(), 4);
    await closed(heat);
});

test('light, dark, and on paper', async () => {
    for (const scheme of ['light', 'dark']) {
        const page = await opened(scheme, readData('late_write'), {colorScheme: scheme});
        await screenshot(page, join(out, `${scheme}.png`));
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const first = await ground();
        await page.locator('.theme select').selectOption(scheme === 'light' ? 'dark' : 'light');
        await page.waitForFunction(before => getComputedStyle(document.body).backgroundColor !== before, first);
        await closed(page);
    }
    const page = await opened('paper', readData('leak'));
    await page.emulateMedia({media: 'print'});
    assert.equal(await page.locator('.toolbar').isVisible(), false);
    assert.ok((await page.pdf()).length > 10_000);
    await closed(page);
});

const proofOf = (rows, leftOut = 0) => {
    const {document} = pageOf({command: 'prove', result_version: 1, violations: [], files: [{file: 'lease.json', verdict: 'passed', trace: null, overlaps: null,
        every_number: {picture: {groups: ['resting', 'in a call', 'holding', 'dead'], rows, rows_left_out: leftOut}}}]});
    return {summary: {verdict: 'passed', title: 'passed: for every number of callers', scope: 'complete: any number of A'}, document};
};

test('a proof is a row for each set of states, with one circle for each caller that can be there', async () => {
    const page = await opened('proof', proofOf([
        {example: 'db free <b>', combinations: 1, most: [null, null, 0, null]},
        {example: 'db until 12', combinations: 14, most: [null, null, 1, null]},
    ]));
    await until(page, '.proof', /In all of them, holding: at most 1\./);
    const rows = page.locator('.proof tbody tr');
    assert.equal(await rows.count(), 2);
    assert.match(await rows.nth(0).innerText(), /db free <b>[^]*any number[^]*any number[^]*nobody[^]*any number/);
    assert.match(await rows.nth(1).innerText(), /and 13 more combinations/);
    assert.equal(await rows.nth(1).locator('.one').count(), 1);
    assert.equal(await rows.nth(1).locator('.any').count(), 3);
    await closed(page);
});

test('of a proof that is cut nothing is said of all rows, and what is no proof has no picture', async () => {
    const cut = await opened('proof_cut', proofOf([{example: 'db', combinations: 2, most: [null, null, 1, 0]}], 3));
    await until(cut, '.proof', /3 more rows of the proof left out/);
    assert.doesNotMatch(await cut.locator('.proof').innerText(), /In all of them/);
    await closed(cut);
    const none = await opened('no_proof', readData('leak'));
    await step(none, 22);
    assert.equal(await none.locator('.proof').count(), 0);
    await closed(none);
});
