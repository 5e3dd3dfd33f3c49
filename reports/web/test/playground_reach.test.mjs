// SPDX-License-Identifier: Apache-2.0

// The playground for everybody: phones, keyboards, screen readers, dark rooms, no network, and other people's pages.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {back, closed, copied, editor, kOwnPages, opened, options, root, start, until, withModule} from './playground.mjs';

test('on a phone the picture is on the first screen, and nothing is wider than it', options, async () => {
    const page = await opened('', {viewport: {width: 390, height: 844}});
    await start(page, 'Canal lock').waitFor();
    const isNarrow = () => page.evaluate(() => document.documentElement.scrollWidth <= 390);
    assert.ok(await isNarrow());
    await start(page, 'SET NX PX').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.own-lock .badge', /violated/);
    const picture = page.frameLocator('iframe.report').locator('svg.lanes').first();
    await picture.waitFor();
    assert.ok((await picture.boundingBox()).y < 500);
    assert.ok(await isNarrow());
    await back(page);
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    assert.ok((await page.locator('.run-section svg.lanes').first().boundingBox()).y < 600);
    assert.ok(await isNarrow());
    await closed(page);
});

test('the race is found and walked with the keyboard alone, and the editor lets it go on', options, async () => {
    const page = await opened();
    const first = start(page, 'Canal lock').getByRole('button', {name: 'see the race'});
    await first.waitFor();
    for (let i = 0; i < 60 && !await first.evaluate(button => button === document.activeElement); ++i) {
        await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await until(page, '.choices h2', /after step 22/);
    await page.locator('.run-section svg[role=img]').waitFor();
    await page.keyboard.press('ArrowLeft');
    await until(page, '.choices h2', /after step 21/);
    await back(page);
    await editor(page, 'Scenario').focus();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.closest('.cm-editor')), null);
    await closed(page);
});

test('a screen reader hears a name of every control, and what is new', options, async () => {
    const page = await opened();
    const nameless = () => page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, iframe, [role=textbox]')]
        .filter(element => element.checkVisibility() && !(element.innerText?.trim() || element.labels?.length || element.ariaLabel || element.title || element.closest('label')))
        .map(element => element.outerHTML.slice(0, 100)));
    await page.locator('.scenario-form').waitFor();
    assert.deepEqual(await nameless(), []);
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    assert.deepEqual(await nameless(), []);
    assert.match(await page.locator('.run-section svg[role=img]').first().getAttribute('aria-label'), /22 steps/);
    await page.getByRole('button', {name: 'copy link'}).click();
    await page.getByRole('status').filter({hasText: 'the link is copied'}).waitFor();
    await closed(page);
});

test('dark and light, in the editor and in the report, too', options, async () => {
    const page = await opened();
    await start(page, 'Ticket lock').getByRole('button', {name: 'see the race'}).waitFor();
    await page.getByRole('combobox', {name: 'theme'}).selectOption({label: 'dark'});
    await start(page, 'Ticket lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.own-lock .badge', /violated/);
    const brightness = element => { const [red, green, blue] = getComputedStyle(element).backgroundColor.match(/[\d.]+/g).map(Number); return (red + green + blue) / 3; };
    assert.ok(await page.locator('body').evaluate(brightness) < 80);
    assert.ok(await page.locator('.own-lock .cm-editor').first().evaluate(brightness) < 80);
    const report = page.frameLocator('iframe.report');
    await report.locator('.run-section').waitFor();
    assert.ok(await report.locator('body').evaluate(brightness) < 80);
    await page.getByRole('combobox', {name: 'theme'}).selectOption({label: 'light'});
    assert.ok(await page.locator('body').evaluate(brightness) > 180);
    await closed(page);
});

test('a link may ask for the search of the shortest violation', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    const {hash} = new URL(page.url());
    await closed(page);
    const other = await opened(`${hash.split('/').slice(0, 2).join('/')}//find=1`);
    await until(other, '.choices h2', /after step 22/);
    assert.equal(new URL(other.url()).hash.split('/').slice(0, 3).join('/'), hash.split('/').slice(0, 3).join('/'));
    await closed(other);
});

test('a run in somebody’s own page: live, recorded, and where neither can be shown', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    const {hash} = new URL(page.url());
    await closed(page);
    kOwnPages.set('recorded.html', '<!doctype html><title>recorded</title><p>this was recorded');
    kOwnPages.set('talk.html', `<!doctype html><title>a talk</title><script type="module" src="lockkeeper-run-1.js"></script>
<lockkeeper-run id="live" link="${root}${hash}"></lockkeeper-run>
<lockkeeper-run id="recorded" recorded="recorded.html"></lockkeeper-run>
<lockkeeper-run id="nobody" link="${hash}" playground="nowhere/" recorded="recorded.html" now></lockkeeper-run>
<lockkeeper-run id="wrong" link="javascript:alert(1)" recorded="javascript:alert(1)"></lockkeeper-run>`);
    const talk = await opened('talk.html');
    await talk.locator('#recorded').frameLocator('iframe').getByText('this was recorded').waitFor();
    assert.match(await talk.locator('#wrong p').innerText(), /neither "link" nor "recorded"/);
    await talk.locator('#live').getByRole('button', {name: 'run it here'}).click();
    await talk.locator('#live').frameLocator('iframe').locator('.choices h2', {hasText: 'after step 22'}).waitFor();
    assert.equal(await talk.locator('#live [role=status]').innerText(), '');
    await talk.locator('#nobody').getByText('no playground answers').waitFor();
    await talk.locator('#nobody').frameLocator('iframe').getByText('this was recorded').waitFor();
    await closed(talk);
});

test('offline after the first load', withModule, async () => {
    const page = await opened();
    await page.evaluate(async () => { await navigator.serviceWorker.register('service_worker.js'); await navigator.serviceWorker.ready; });
    await page.context().setOffline(true);
    await page.reload();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await closed(page);
});

// Over WebDriver BiDi Firefox runs scripts in any case.
test('without scripts the page says what to type', {...options, skip: options.skip || (process.env.LOCKKEEPER_BROWSER === 'firefox' && 'scripts cannot be switched off')}, async () => {
    const page = await opened('', {javaScriptEnabled: false});
    assert.match(await page.locator('noscript').innerText(), /make demo/);
    await page.context().close();
});
