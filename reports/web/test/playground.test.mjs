// SPDX-License-Identifier: Apache-2.0

// The playground: where it begins, the explorer in it, and a scenario of one's own.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {kSource} from './browser.mjs';
import {asText, atHome, back, closed, copied, editor, kHostile, kPair, opened, options, put, sameAtHome, start, starts, until, withModule} from './playground.mjs';

test('the canal lock: see the race, and its picture without scrolling', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.run-section h2', /leak/);
    await until(page, '.choices h2', /after step 22/);
    const {y} = await page.locator('.run-section svg.lanes').first().boundingBox();
    assert.ok(y < 800, `the picture begins at ${y}`);
    await closed(page);
});

for (const [title, property] of [['Canal lock', 'leak'], ['Lease without fencing', 'stale-read'], ['Advisory lock in a pool', 'deadlock'], ['Leader election', '']]) {
    test(`a model to begin with: ${title}, wrong and right`, options, async () => {
        const page = await opened();
        await start(page, title).getByRole('button', {name: 'see the race'}).click();
        await until(page, '.choices h2', /after step \d+/);
        await until(page, '.run-section h2', new RegExp(property));
        await back(page);
        await start(page, title).getByRole('button', {name: 'the right form'}).click();
        await until(page, '.search', /passed.*all states were seen/);
        await closed(page);
    });
}

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

test('as Markdown: a diagram that is folded away, and the link', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await page.getByRole('button', {name: 'copy as Markdown'}).click();
    await until(page, '.place-tools .told', /Markdown is copied/);
    const text = await copied(page);
    assert.match(text, /^<details>\n<summary>P2 leak in 22 steps/);
    assert.match(text, /\n```mermaid\nsequenceDiagram\n    participant p0 as A1\n/);
    assert.equal(/\(<(.*)>\)\n$/.exec(text)[1], page.url());
    await closed(page);
});

test('the command that is copied is the file and the run, and says the same at home', atHome, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await sameAtHome(page, /^cat > leak_two_callers\.json <<'LOCKKEEPER'\n\{[^]*\nlockkeeper replay leak_two_callers\.json --schedule 'lk1:1:s0[^']*'\n$/, 1, /violated.*leak[^]* 22 steps/);
    await closed(page);
});

test('where nothing is violated the command is the search', atHome, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.search', /passed.*all states were seen/);
    await sameAtHome(page, /\nlockkeeper explore leak_two_callers\.json\n$/, 0, /verdict: passed\nscope: complete/);
    await closed(page);
});

test('the command of a livelock has its cycle', atHome, async () => {
    const page = await opened();
    await put(editor(page, 'Scenario'), readFileSync(join(kSource, 'scenarios/canal/findings/livelock_crash.json'), 'utf8'));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.run-section h2', /livelock/);
    await sameAtHome(page, / --cycle-from \d+\n$/, 1, /violated.*livelock/);
    await closed(page);
});

test('a goal that nothing reaches is no pass, here or at home', atHome, async () => {
    const page = await opened();
    await put(editor(page, 'Scenario'), asText({...kPair, reach: ['crashed']}));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.search', /unreached.*goal crashed.*all states were seen/);
    await sameAtHome(page, /\nlockkeeper explore scenario\.json\n$/, 1, /unreached: goal crashed/);
    await closed(page);
});

test('choices are taken by hand while nothing else is asked, and back goes back', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'the right form'}).click();
    await until(page, '.choices h2', /first/);
    await page.locator('.choice .take').first().click();
    await until(page, '.choices h2', /after step 1$/);
    await back(page);
    await until(page, '.choices h2', /first/);
    await back(page);
    await start(page, 'Canal lock').waitFor();
    await closed(page);
});

test('a scenario of one’s own: a mistake has its line while one types, then it is searched', options, async () => {
    const page = await opened();
    const area = editor(page, 'Scenario');
    await put(area, asText(kPair).replace('"system"', '"sistem"'));
    await until(page, '.own-scenario .warning', /sistem.*line 3/);
    await page.locator('.cm-lint-marker-error').waitFor();
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.own-scenario .cm-activeLine', /sistem/);
    await put(area, asText(kPair));
    await page.locator('.cm-lint-marker-error').waitFor({state: 'detached'});
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.choices h2', /What can happen|after step/);
    await closed(page);
});

test('keys and names of a scenario are completed, by its system', options, async () => {
    const page = await opened();
    const area = editor(page, 'Scenario');
    await put(area, '{"version": 1, "system": "lease_db", ');
    await area.press('End');
    await area.pressSequentially('"fau');
    const offered = page.locator('.cm-tooltip-autocomplete li');
    await offered.filter({hasText: 'faults'}).first().click();
    await area.pressSequentially('"lo');
    await offered.filter({hasText: 'lost_replies'}).first().waitFor(); // of this system
    await closed(page);
});

test('a scenario as a form: sliders, callers and checks write its text', options, async () => {
    const page = await opened();
    const form = page.locator('.scenario-form');
    await form.waitFor();
    const written = pattern => until(page, '.own-scenario .cm-content', pattern);
    await form.getByRole('slider', {name: 'crashes'}).fill('2');
    await written(/"crashes": 2/);
    // At once: the form changes what is written.
    await form.getByRole('button', {name: 'another caller'}).click();
    await form.getByRole('combobox', {name: 'A: call also'}).selectOption('release');
    await written(/"name": "A".*"release".*"release".*"name": "B"/);
    await written(/"crashes": 2/);
    await form.getByRole('combobox', {name: 'B: call also'}).selectOption('acquire');
    await form.getByRole('button', {name: 'B: without release'}).click();
    await written(/"name": "B"((?!"release")[^\]])*"acquire"((?!"release")[^\]])*"acquire"((?!"release")[^\]])*\]/);
    await form.locator('.checks summary').click();
    const leak = form.getByRole('checkbox', {name: 'leak', exact: true});
    assert.ok(await leak.isChecked()); // "safety" judges it
    assert.ok(!await form.getByRole('checkbox', {name: 'livelock', exact: true}).isChecked()); // and not this
    await leak.click(); // shown as off when the engine has written it
    await until(page, '.checks summary', /^judged: ((?!leak|safety|livelock).)*over-allocation((?!leak|safety|livelock).)*$/);
    assert.equal(await form.locator('.caller').count(), 2);
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.choices h2', /What can happen|after step/);
    await closed(page);
});

test('a long search is cancelled, and walking goes on meanwhile', withModule, async () => {
    const page = await opened();
    const many = {version: 1, system: 'canal', variant: 'repaired', check: 'safety', faults: {crashes: 3}, parameters: {table: {warm: 2}},
        callers: [{name: 'A', count: 6, repeat: 9, script: [{acquire: {key: 'db', max_per: 1, buckets: 2}}, {release: {key: 'db'}}]}]};
    await put(editor(page, 'Scenario'), JSON.stringify(many));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.searching', /states/);
    await page.getByRole('button', {name: 'cancel'}).click();
    await until(page, '.search', /ended by: cancelled/);
    await page.getByRole('button', {name: 'explore all states'}).click();
    await until(page, '.search', /memory [\d,]+ MB of at most 4,096 MB, all workers [\d,]+ MB/);
    await page.locator('.choice .take').first().click();
    await until(page, '.choices h2', /after step 1$/);
    // A report is made beside the search, and ends alone.
    await page.getByRole('button', {name: 'report', exact: true}).click();
    await until(page, '.place-tools .told', /states.*; memory [\d,]+ MB/);
    await page.getByRole('button', {name: 'cancel the report'}).click();
    await until(page, '.place-tools .told', /cancelled/);
    await page.getByRole('button', {name: 'report', exact: true}).waitFor();
    await page.locator('.search progress').waitFor();
    await page.locator('.search').getByRole('button', {name: 'cancel'}).click();
    await until(page, '.search', /ended by: cancelled/);
    await closed(page);
});

test('a report is the page of results', options, async () => {
    const page = await opened();
    await start(page, 'Canal lock').getByRole('button', {name: 'see the race'}).click();
    await until(page, '.choices h2', /after step 22/);
    await page.getByRole('button', {name: 'report', exact: true}).click();
    await page.frameLocator('iframe.report').getByText('violated').first().waitFor();
    await closed(page);
});

test('a proof for every number of callers is shown as a picture', options, async () => {
    const page = await opened();
    const lock = {version: 1, system: 'canal', variant: 'repaired', check: 'safety',
        callers: [{name: 'A', count: 2, script: [{acquire: {key: 'db', max_per: 1, buckets: 1}}, {release: {key: 'db', max_per: 1, buckets: 1}}]}]};
    await put(editor(page, 'Scenario'), JSON.stringify(lock));
    await page.getByRole('button', {name: 'search it'}).click();
    await page.getByRole('button', {name: 'prove', exact: true}).click();
    const proof = page.frameLocator('iframe.report').locator('.proof');
    await proof.getByText('holding: at most 1').waitFor();
    assert.ok(await proof.locator('.callers .any').count() > 0);
    await closed(page);
});

test('markup in a scenario stays text, and an address that cannot be read says so', options, async () => {
    const page = await opened();
    const scenario = (await starts(page)).find(({title}) => title === 'Canal lock').wrong.text;
    await put(editor(page, 'Scenario'), JSON.stringify({...JSON.parse(scenario), about: kHostile}));
    await page.getByRole('button', {name: 'search it'}).click();
    await until(page, '.file-head .about', /<img src=x/);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    await closed(page);
    const other = await opened('#1s/AAAA/lk1:1:');
    await other.locator('main .warning').waitFor();
    await start(other, 'Canal lock').waitFor();
    await closed(other);
});
