// SPDX-License-Identifier: Apache-2.0

// What the pages look like, compared with the pictures in test/pictures/. A picture is of what
// feature tests cannot say: colours, shapes, places.
import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {join} from 'node:path';

import {options, served} from './browser.mjs';
import {longHistory, measured, out, readData, writePage} from './page.mjs';
import {kReferences, looksLike, pageFor, pictureBrowser} from './pictures.mjs';

let browser;
before(async () => { browser = await pictureBrowser(); });
after(() => browser?.close());

const taken = new Set();
// All of them, so that a change is seen in every picture at once.
async function compare(...pictures) {
    const changed = [];
    for (const [name, page, selector] of pictures) {
        taken.add(`${name}.png`);
        await looksLike(page, selector, name).catch(error => changed.push(error.message));
    }
    assert.ok(changed.length === 0, changed.join('\n'));
}
async function opened(name, data, window = {}) {
    const page = await pageFor(browser, window);
    await page.goto(writePage(`picture_${name}`, data));
    await page.locator('#page h1').waitFor();
    return page;
}

for (const scheme of ['light', 'dark']) {
    test(`the leak of the canal lock, ${scheme}`, async () => {
        const page = await opened(`leak_${scheme}`, readData('leak'), {scheme});
        await compare([`leak_lanes_${scheme}`, page, '.lanes-frame']);
        await page.context().close();
    });
}

test('a page in a narrow window', async () => {
    const page = await opened('narrow', readData('late_write'), {width: 400});
    await compare(['narrow_lanes', page, '.lanes-frame'], ['narrow_steps', page, '.step-list']);
    await page.context().close();
});

test('a livelock on paper', async () => {
    const page = await opened('livelock', readData('livelock'), {width: 640});
    await page.emulateMedia({media: 'print', reducedMotion: 'reduce'});
    await compare(['livelock_paper', page, '.run']);
    await page.context().close();
});

test('a history', async () => {
    const page = await opened('history', longHistory(90, 5));
    await compare(['history', page, '.history-canvas']);
    await page.context().close();
});

test('rates', async () => {
    const page = await opened('rates', measured([{crash: 0}, {crash: 1}, {crash: 2}]), {width: 800});
    const heat = await opened('heat', measured([{crash: 0, b: 0}, {crash: 0, b: 1}, {crash: 1, b: 0}, {crash: 1, b: 1}]), {width: 600});
    await compare(['rates_sweep', page, '.sweep'], ['rates_intervals', page, '.interval'], ['rates_heat', heat, '.heat']);
    await heat.context().close();
    await page.context().close();
});

test('the table of a directory', async () => {
    const data = readData('directory');
    const page = await opened('directory', {...data, document: {...data.document, files: data.document.files.slice(0, 4)}});
    await compare(['directory', page, '.files']);
    await page.context().close();
});

// The unit that is given back last is lost.
const kScenario = {version: 1, system: 'canal', check: ['leak', 'over-allocation'], about: 'Two callers, one loses a unit.', parameters: {table: {warm: 2}},
    callers: [{name: 'A', count: 2, script: [{acquire: {key: 'db', max_per: 1, buckets: 2}}, {release: {key: 'db'}}]}]};

test('the explorer: choices, and the states around', options, async () => {
    const folder = join(out, 'explorer_pictures');
    mkdirSync(folder, {recursive: true});
    const file = join(folder, 'leak.json');
    writeFileSync(file, JSON.stringify(kScenario));
    const servers = [];
    try {
        const address = await served([file], folder, servers);
        const page = await pageFor(browser, {width: 1310, height: 1000, scheme: 'dark'});
        await page.goto(`${address}#lk1:1:s0*4,s1`);
        await page.locator('.choices[aria-busy="false"] h2').getByText('after step 5').waitFor();
        await page.waitForFunction(() => document.querySelectorAll('.choice').length === document.querySelectorAll('.choice .ahead').length);
        await page.locator('.graph-panel summary').click();
        await page.getByLabel('States at most').selectOption('20');
        await page.locator('.graph-panel [data-states="20"]').waitFor();
        await compare(['explorer', page, '.explorer-columns'], ['explorer_graph', page, '.state-graph']);
        await page.context().close();
    } finally {
        servers.forEach(server => server.kill('SIGINT'));
    }
});

test('every reference is compared', options, () => {
    assert.deepEqual(readdirSync(kReferences).sort(), [...taken].sort());
});
