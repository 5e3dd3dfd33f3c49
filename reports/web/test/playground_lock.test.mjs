// SPDX-License-Identifier: Apache-2.0

// The playground's page of a lock in JavaScript.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {atHome, back, closed, copied, editor, isFirefox, kHostile, opened, options, overIt, programOf, put, root, sameAtHome, start, until, withModule} from './playground.mjs';

const kSlowAtHome = ['Semaphore', 'Read, compare, write']; // as programs beside the command
for (const title of ['SET NX PX', 'rate limiter', 'Ticket lock', 'replicas', ...kSlowAtHome]) {
    test(`a lock in JavaScript: ${title}, wrong and right`, kSlowAtHome.includes(title) ? withModule : options, async () => {
        const page = await opened();
        await start(page, title).getByRole('button', {name: 'see the race'}).click();
        await until(page, '.own-lock .badge', /violated/);
        await page.frameLocator('iframe.report').locator('.run-section').first().waitFor();
        await back(page);
        await start(page, title).getByRole('button', {name: 'the right form'}).click();
        await until(page, '.own-lock .badge', /passed/);
        await closed(page);
    });
}

for (const [form, status] of [['see the race', 1], ['the right form', 0]]) {
    test(`the command of a lock in JavaScript says the same at home: ${form}`, atHome, async () => {
        const page = await opened();
        await start(page, 'SET NX PX').getByRole('button', {name: form}).click();
        await until(page, '.own-lock .badge', status === 1 ? /violated/ : /passed/);
        const said = await page.locator('.own-lock-outcome details pre').textContent();
        const verdict = /^verdict: .*\nscope: .*$/m.exec(said)[0];
        await sameAtHome(page, /\nlockkeeper validate --program 'node set_nx_px\.js/, status, new RegExp(verdict.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
        await closed(page);
    });
}

test('mistakes in a lock have their line, and what comes after them is searched', options, async () => {
    const page = await opened();
    await start(page, 'SET NX PX').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    const area = editor(page, 'Lock');
    const good = await programOf(page, 'SET NX PX');
    await put(area, good.replace('let begun = await', 'let begun = = await'));
    await page.getByRole('button', {name: /^line \d+$/}).click();
    await until(page, '.own-lock .cm-activeLine', /begun = = await/);
    await page.locator('.cm-lint-marker-error').waitFor();
    await put(area, good.replace('await lock.delete(key, client) === null', 'await lock.delete(key) === null'));
    await until(page, '.own-lock .badge', /violated/);
    await closed(page);
});

test('what a lock may ask is completed, and a name says its type', options, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    const area = editor(page, 'Lock');
    await put(area, 'async function acquire(lock) { await lock.');
    await area.press('End');
    await area.pressSequentially('ins');
    const offered = page.locator('.cm-tooltip-autocomplete li', {hasText: 'insertNew'});
    await offered.waitFor();
    await until(page, '.cm-tooltip-autocomplete', /Promise<true \| null>/);
    await offered.click(); // Enter begins a line while what is offered is sorted anew
    await page.waitForFunction(() => /lock\.insertNew/.test(document.querySelector('.own-lock .cm-content').innerText));
    await overIt(page, page.locator('.own-lock .cm-line', {hasText: 'insertNew'}).getByText('insertNew'), '.code-hover', /SET NX/);
    await closed(page);
});

test('the link of a lock opens at the same step in a fresh browser, and as Markdown', options, async () => {
    const page = await opened();
    await start(page, 'SET NX PX').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.own-lock .badge', /violated/);
    const report = page.frameLocator('iframe.report');
    await report.getByRole('button', {name: 'Step back', exact: true}).click();
    await report.getByRole('button', {name: 'Step back', exact: true}).click();
    const step = await report.getByRole('spinbutton', {name: 'Step number'}).inputValue();
    await page.waitForFunction(at => location.hash.endsWith(`at=${at}`), step); // the frame tells the page
    await page.getByRole('button', {name: 'copy link'}).click();
    await until(page, '.own-lock .told', /link is copied/);
    const link = await copied(page);
    await page.getByRole('button', {name: 'copy as Markdown'}).click();
    await until(page, '.own-lock .told', /Markdown is copied/);
    assert.match(await copied(page), /^<details>\n<summary>.*in \d+ steps.*<\/summary>\n\n```mermaid\nsequenceDiagram\n[^]*```\n\n<\/details>\n\n\[.*\]\(<http.*at=\d+>\)\n$/);
    await closed(page);
    const other = await opened(new URL(link).hash);
    await until(other, '.own-lock .badge', /violated/);
    const shown = other.frameLocator('iframe.report').getByRole('spinbutton', {name: 'Step number'});
    assert.equal(await shown.inputValue(), step);
    assert.equal(other.url(), link);
    await put(editor(other, 'Lock'), `${await programOf(other, 'SET NX PX')}// changed`);
    await other.waitForFunction(() => !/at=/.test(location.hash)); // another lock has another run
    await closed(other);
});

test('an endless loop in a lock is cancelled', withModule, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    await put(editor(page, 'Lock'), 'for (;;);');
    await until(page, '.own-lock-state', /searching/);
    await page.getByRole('button', {name: 'cancel'}).click();
    await until(page, '.own-lock-state', /cancelled/);
    await closed(page);
});

test('a lock that asks for gigabytes is told that it gets none, or is cancelled, and the page goes on', withModule, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    await put(editor(page, 'Lock'), 'const kept = [];\nfor (;;) { kept.push(new ArrayBuffer(2 ** 33)); }');
    if (isFirefox) { // gives on and on
        await until(page, '.own-lock-state', /searching/);
        await page.getByRole('button', {name: 'cancel'}).click();
    } else {
        await until(page, '.own-lock pre.warning', /RangeError/);
        await page.getByRole('button', {name: 'line 2', exact: true}).waitFor();
    }
    await put(editor(page, 'Lock'), await programOf(page, 'Ticket lock'));
    await until(page, '.own-lock .badge', /passed/);
    await closed(page);
});

test('a lock of somebody else reaches nothing', withModule, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.own-lock .badge', /passed/);
    const area = editor(page, 'Lock');
    await put(area, `const tell = text => { throw new TypeError(text); };
let storage = 'none';
try { storage = typeof (0, eval)('self').indexedDB.open('x'); } catch (error) { storage = 'refused'; }
let network = 'open';
try { const request = new ((0, eval)('XMLHttpRequest'))(); request.open('GET', ${JSON.stringify(root)}, false); request.send(); } catch (error) { network = 'refused'; }
tell(network + ' ' + storage + ' ' + (0, eval)('self').origin + ' ${kHostile.replaceAll("'", '')}');`);
    await until(page, '.own-lock pre.warning', /refused/);
    const said = await page.locator('.own-lock pre.warning').innerText();
    assert.match(said, /refused refused null/);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    page.wrong = page.wrong.filter(message => !message.includes('blocked the loading of a resource')); // as Firefox tells what it refuses
    await closed(page);
});
