// SPDX-License-Identifier: Apache-2.0

// The playground in a real Chromium, as `make playground` has made it (PLAYGROUND: its folder), from a server of plain
// files.
import assert from 'node:assert/strict';
import {createReadStream, existsSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join, normalize} from 'node:path';
import {after, before, test} from 'node:test';

import {launched} from './browser.mjs';

const kFolder = process.env.PLAYGROUND;
const options = {skip: kFolder === undefined && 'no PLAYGROUND, whose pages are tested', timeout: 120_000};
const kTypes = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm'};
const kHostile = '<img src=x onerror="window.hurt=1">';

let browser;
let server;
let root;
before(async () => {
    if (!kFolder) {
        return;
    }
    server = createServer((request, response) => {
        const path = join(kFolder, normalize(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html'));
        if (!path.startsWith(kFolder) || !existsSync(path)) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, {'Content-Type': kTypes[extname(path)] ?? 'text/plain'});
        createReadStream(path).pipe(response);
    });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    root = `http://127.0.0.1:${server.address().port}/`;
    browser = await launched();
});
after(async () => {
    await browser?.close();
    server?.close();
});

async function opened(hash = '', more = {}) {
    const context = await browser.newContext({viewport: {width: 1280, height: 800}, permissions: ['clipboard-read', 'clipboard-write'], ...more});
    const page = await context.newPage();
    page.wrong = [];
    page.on('pageerror', error => page.wrong.push(error.message));
    page.on('request', request => /^https?:/.test(request.url()) && !request.url().startsWith(root) && page.wrong.push(`asks for ${request.url()}`));
    page.on('dialog', dialog => { page.wrong.push('a dialog'); void dialog.dismiss(); });
    await page.goto(root + hash);
    return page;
}
async function closed(page) {
    assert.deepEqual(page.wrong, []);
    await page.context().close();
}
const start = (page, title) => page.locator('.starts li', {hasText: title});
const until = (page, selector, pattern) => page.waitForFunction(
    ([where, source]) => new RegExp(source, 's').test(document.querySelector(where)?.innerText ?? ''), [selector, pattern.source], {timeout: 60_000});
const copied = page => page.evaluate(() => navigator.clipboard.readText());

test('the canal lock: see the race, and its picture without scrolling', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.run-section h2', /leak/);
    await until(page, '.choices h2', /after step 22/);
    const {y} = await page.locator('.run-section svg').first().boundingBox();
    assert.ok(y < 800, `the picture begins at ${y}`);
    await closed(page);
});

test('the right form holds', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.search', /passed.*all states were seen/);
    await closed(page);
});

test('the link opens at the same step in a fresh browser', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await page.getByRole('button', {name: 'step back', exact: true}).click();
    await until(page, '.choices h2', /after step 21/);
    await page.getByRole('button', {name: 'copy link'}).click();
    await until(page, '.place-tools .told', /copied/);
    const link = await copied(page);
    assert.ok(link.length < 2000, `${link.length} letters`);
    await closed(page);
    const other = await opened(new URL(link).hash);
    await until(other, '.choices h2', /after step 21/);
    assert.equal(other.url(), link);
    await closed(other);
});

test('the command that is copied is the file and the run', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await page.getByRole('button', {name: 'copy as command'}).click();
    await until(page, '.place-tools .told', /command is copied/);
    const text = await copied(page);
    assert.match(text, /^cat > leak_two_callers\.json <<'LOCKKEEPER'\n\{/);
    assert.match(text, /\nlockkeeper replay leak_two_callers\.json --schedule 'lk1:1:s0[^']*'\n$/);
    await closed(page);
});

test('choices are taken by hand while nothing else is asked, and back goes back', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.choices h2', /first/);
    await page.locator('.choice .take').first().click();
    await until(page, '.choices h2', /after step 1$/);
    await page.goBack();
    await until(page, '.choices h2', /first/);
    await page.goBack();
    await start(page, 'Canal lock').waitFor();
    await closed(page);
});

test('a scenario of one’s own: a mistake has its line, then it is searched', options, async () => {
    const page = await opened();
    const area = page.getByRole('textbox', {name: 'Scenario'});
    const good = await area.inputValue();
    await area.fill(good.replace('"system"', '"sistem"'));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.own-scenario .warning', /sistem.*line 4/);
    assert.equal(await area.evaluate(element => element.value.slice(0, element.selectionStart).split('\n').length), 4);
    await area.fill(good);
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.choices h2', /What can happen/);
    await closed(page);
});

test('a long search is cancelled, and walking goes on meanwhile', options, async () => {
    const page = await opened();
    const many = {version: 1, system: 'canal', variant: 'repaired', check: 'safety', faults: {crashes: 3}, parameters: {table: {warm: 2}},
        callers: [{name: 'A', count: 6, repeat: 9, script: [{acquire: {key: 'db', max_per: 1, buckets: 2}}, {release: {key: 'db'}}]}]};
    await page.getByRole('textbox', {name: 'Scenario'}).fill(JSON.stringify(many));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.searching', /states/);
    await page.getByRole('button', {name: 'cancel'}).click();
    await until(page, '.search', /ended by: cancelled/);
    await page.getByRole('button', {name: 'explore all states'}).click();
    await until(page, '.search', /cancel/);
    await page.locator('.choice .take').first().click();
    await until(page, '.choices h2', /after step 1$/);
    await page.locator('.search').getByRole('button', {name: 'cancel'}).click();
    await until(page, '.search', /ended by: cancelled/);
    await closed(page);
});

test('a report is the page of results', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await page.getByRole('button', {name: 'report'}).click();
    await page.frameLocator('iframe.report').getByText('violated').first().waitFor();
    await closed(page);
});

for (const title of ['SET NX PX', 'rate limiter', 'Ticket lock', 'Semaphore', 'replicas', 'Read, compare, write']) {
    test(`a lock in JavaScript: ${title}, wrong and right`, options, async () => {
        const page = await opened();
        await start(page, title).getByRole('button', {name: 'see the race'}).click();
        await until(page, '.own-lock .badge', /violated/);
        await page.frameLocator('iframe.report').locator('.run-section').first().waitFor();
        await page.goBack();
        await start(page, title).getByRole('button', {name: 'the right form'}).click();
        await until(page, '.own-lock .badge', /passed/);
        await closed(page);
    });
}

test('mistakes in a lock have their line, and what comes after them is searched', options, async () => {
    const page = await opened();
    await start(page, 'SET NX PX').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    const area = page.getByRole('textbox', {name: 'Lock', exact: true});
    const good = await area.inputValue();
    await area.fill(good.replace('let begun = await', 'let begun = = await'));
    await page.getByRole('button', {name: /^line \d+$/}).waitFor();
    await page.getByRole('button', {name: /^line \d+$/}).click();
    assert.match(await area.evaluate(element => element.value.slice(element.selectionStart, element.selectionEnd)), /begun = = await/);
    await area.fill(good.replace('await lock.delete(key, client) === null', 'await lock.delete(key) === null'));
    await until(page, '.own-lock .badge', /violated/);
    await closed(page);
});

test('an endless loop in a lock is cancelled', options, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    await page.getByRole('textbox', {name: 'Lock', exact: true}).fill('for (;;);');
    await until(page, '.own-lock-state', /searching/);
    await page.getByRole('button', {name: 'cancel'}).click();
    await until(page, '.own-lock-state', /cancelled/);
    await closed(page);
});

test('a lock of somebody else reaches nothing', options, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    const area = page.getByRole('textbox', {name: 'Lock', exact: true});
    await area.fill(`const tell = text => { throw new TypeError(text); };
let storage = 'none';
try { storage = typeof (0, eval)('self').indexedDB.open('x'); } catch (error) { storage = 'refused'; }
let network = 'open';
try { const request = new ((0, eval)('XMLHttpRequest'))(); request.open('GET', ${JSON.stringify(root)}, false); request.send(); } catch (error) { network = 'refused'; }
tell(network + ' ' + storage + ' ' + (0, eval)('self').origin + ' ${kHostile.replaceAll("'", '')}');`);
    await until(page, '.own-lock pre.warning', /refused/);
    const said = await page.locator('.own-lock pre.warning').innerText();
    assert.match(said, /refused refused null/);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    await closed(page);
});

test('markup in a scenario stays text, and an address that cannot be read says so', options, async () => {
    const page = await opened();
    const scenario = JSON.parse(readFileSync(join(kFolder, 'starts.json'), 'utf8')).find(({title}) => title === 'Canal lock').wrong.text;
    await page.getByRole('textbox', {name: 'Scenario'}).fill(JSON.stringify({...JSON.parse(scenario), about: kHostile}));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.file-head .about', /<img src=x/);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    await closed(page);
    const other = await opened('#1s/AAAA/lk1:1:');
    await other.locator('main .warning').waitFor();
    await start(other, 'Canal lock').waitFor();
    await closed(other);
});

test('on a phone nothing is wider than the screen', options, async () => {
    const page = await opened('', {viewport: {width: 390, height: 800}});
    await start(page, 'Canal lock').waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
    await start(page, 'SET NX PX').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.own-lock .badge', /violated/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
    await closed(page);
});

test('offline after the first load', options, async () => {
    const page = await opened();
    await page.evaluate(async () => { await navigator.serviceWorker.register('service_worker.js'); await navigator.serviceWorker.ready; });
    await page.context().setOffline(true);
    await page.reload();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await closed(page);
});

test('without scripts the page says what to type', options, async () => {
    const page = await opened('', {javaScriptEnabled: false});
    assert.match(await page.locator('noscript').innerText(), /make demo/);
    await page.context().close();
});
