// SPDX-License-Identifier: Apache-2.0

// What the tests of the playground share: a real browser, and the pages from a server of plain files: as `make playground` has made it (PLAYGROUND: its
// folder), or, where there is only the command (LOCKKEEPER) and what `npm run playground` builds, with the command in
// the place of the module (stand_in.mjs). LOCKKEEPER_BROWSER=firefox: in Debian's Firefox.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {dirname, extname, join, normalize} from 'node:path';
import {after, before} from 'node:test';
import {fileURLToPath} from 'node:url';

import {kCommand, kSource, kWaitMilliseconds, launched} from './browser.mjs';
import {StandIn} from './stand_in.mjs';

const kPages = join(dirname(fileURLToPath(import.meta.url)), '..');
const kBuilt = join(kPages, 'dist/playground');
const kModule = process.env.PLAYGROUND;
const kFolder = kModule ?? (kCommand && existsSync(kBuilt) ? kBuilt : undefined);
export const options = {skip: kFolder === undefined && 'no PLAYGROUND, whose pages are tested', timeout: 600_000};
export const withModule = {...options, skip: options.skip || (kModule === undefined && 'the command stands in the place of the module')};
export const atHome = {...options, skip: options.skip || (!(kCommand && kSource) && 'no LOCKKEEPER, which is typed at home')};
const kRestMilliseconds = 5_000; // of the mouse, before it moves again
const kTypes = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm'};
export const kHostile = '<img src=x onerror="window.hurt=1">';
export const isFirefox = process.env.LOCKKEEPER_BROWSER === 'firefox';

let browser;
let server;
let standIn;
export let root;
export const kOwnPages = new Map(); // of a test, by name

async function served(request) {
    const {pathname} = new URL(request.url, 'http://x');
    const name = pathname.slice(1) || 'index.html';
    if (standIn && request.method === 'POST') {
        let body = '';
        for await (const part of request) {
            body += part;
        }
        return {type: '.json', body: JSON.stringify(await standIn.post(name.replace(/^stand_in\//, ''), body))};
    }
    const path = [name, name === 'index.html' ? 'playground.html' : name].map(file => join(kFolder, normalize(file))).find(file => file.startsWith(kFolder) && existsSync(file));
    const body = kOwnPages.get(name) ?? await standIn?.file(name, root) ?? (path && readFileSync(path));
    return body === undefined ? undefined : {type: extname(name), body};
}
before(async () => {
    if (!kFolder) {
        return;
    }
    standIn = kModule ? undefined : new StandIn(kCommand, kSource, join(kSource, 'reports/web'));
    server = createServer((request, response) => void served(request).then(found => {
        response.writeHead(found ? 200 : 404, {'Content-Type': kTypes[found?.type] ?? 'text/plain', 'Access-Control-Allow-Origin': '*'});
        response.end(found?.body);
    }).catch(() => response.destroy()));
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    root = `http://127.0.0.1:${server.address().port}/`;
    browser = await launched();
});
after(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    standIn?.end();
});

export async function opened(hash = '', more = {}) {
    const context = await browser.newContext({viewport: {width: 1280, height: 800}, ...(isFirefox ? {} : {permissions: ['clipboard-read', 'clipboard-write']}), ...more});
    await context.addInitScript(keepCopies);
    context.setDefaultTimeout(kWaitMilliseconds);
    const page = await context.newPage();
    page.wrong = [];
    page.on('pageerror', error => page.wrong.push(error.message));
    page.on('request', request => /^https?:/.test(request.url()) && !request.url().startsWith(root) && page.wrong.push(`asks for ${request.url()}`));
    page.on('dialog', dialog => { page.wrong.push('a dialog'); void dialog.dismiss(); });
    await page.goto(root + hash);
    return page;
}
export async function closed(page) {
    assert.deepEqual(page.wrong, []);
    await page.context().close();
}
export const start = (page, title) => page.locator('.starts li', {hasText: title});
export const until = (page, selector, pattern, timeout = kWaitMilliseconds) => page.waitForFunction(
    ([where, source]) => new RegExp(source, 's').test(document.querySelector(where)?.innerText ?? ''), [selector, pattern.source], {timeout});
// The words over what the mouse rests on. Where a mistake is marked just then, the editor draws the line anew and forgets
// what the mouse was on, until it moves again: as somebody does who sees no words.
export async function overIt(page, target, selector, pattern) {
    for (const end = Date.now() + kWaitMilliseconds; ;) {
        await page.mouse.move(0, 0);
        await target.hover();
        const isShown = await until(page, selector, pattern, kRestMilliseconds).catch(error => {
            if (error.name !== 'TimeoutError' || Date.now() > end) {
                throw error;
            }
        });
        if (isShown) {
            return;
        }
    }
}
// What the page copies is kept: reading the clipboard is not allowed everywhere.
function keepCopies() {
    const write = text => { window.copied = text; return Promise.resolve(); };
    Object.defineProperty(navigator, 'clipboard', {value: {writeText: write}});
}
// What somebody at home sees who types the copied command into a shell.
function typedAtHome(command) {
    const home = mkdtempSync(join(tmpdir(), 'playground-home-'));
    try {
        symlinkSync(kCommand, join(home, 'lockkeeper'));
        copyFileSync(join(kSource, 'examples/outside/lockkeeper_client.js'), join(home, 'lockkeeper_client.js'));
        const {status, stdout, stderr} = spawnSync('sh', ['-c', command], {cwd: home, encoding: 'utf8', env: {PATH: `${home}:${process.env.PATH}`}});
        return {status, text: stdout + stderr};
    } finally {
        rmSync(home, {recursive: true, force: true});
    }
}
export const copied = page => page.evaluate(() => window.copied);
// Over WebDriver BiDi goBack() waits for a load that does not come.
export const back = page => page.evaluate(() => history.back());
// The command that this page copies, and what it says at home.
export async function sameAtHome(page, asked, status, verdict) {
    await page.getByRole('button', {name: 'copy as command'}).click();
    await until(page, '.told', /command is copied/);
    const text = await copied(page);
    assert.match(text, asked);
    const home = typedAtHome(text);
    assert.equal(home.status, status, home.text);
    assert.match(home.text, verdict);
}
// Of code: not the field that stands there until it is loaded.
export const editor = (page, label) => page.getByRole('textbox', {name: label, exact: true}).and(page.locator('.cm-content'));
// The editor's whole text. The editor itself selects what was there: a selection from outside is lost where something
// is drawn before the editor hears of it. Over WebDriver BiDi a text is typed, and the editor indents and closes
// brackets: there it is pasted.
export async function put(area, text) {
    const page = area.page();
    if (!isFirefox) {
        await area.press('Control+a');
        await page.keyboard.insertText(text);
        return;
    }
    await page.evaluate(copiedText => {
        const box = document.body.appendChild(document.createElement('textarea'));
        box.id = 'copied';
        box.value = copiedText;
        box.select();
    }, text);
    await page.keyboard.press('Control+c');
    await page.evaluate(() => document.getElementById('copied').remove());
    await area.focus();
    await area.press('Control+a');
    await area.press('Control+v');
}
export const starts = async page => (await page.request.get(`${root}starts.json`)).json();
export const programOf = async (page, title, form = 'right') => (await starts(page)).find(start => start.title.includes(title))[form].own.program;
export const kPair = {version: 1, system: 'single_counter', check: 'safety',
    callers: [{name: 'A', count: 2, script: [{acquire: {key: 'db', max_per: 1, buckets: 1}}, {release: {key: 'db'}}]}]};
export const asText = value => JSON.stringify(value, null, 4);
