// SPDX-License-Identifier: Apache-2.0

// Each format is read by a program that others wrote for it: runs of every system, several files at once,
// passes, what could not be decided, what could not be read, and names full of markup. Each reader is also
// given a file that is wrong, and has to say so. LOCKKEEPER: the command, which runs in LOCKKEEPER_SOURCE.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {instance} from '@viz-js/viz';
import {parse} from 'junit2json';
import {chromium} from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out');
const package_ = name => join(here, 'node_modules', name);
const {ofItfNormalized} = createRequire(import.meta.url)('@informalsystems/quint/dist/src/itf.js');

const kCommand = resolve(process.env.LOCKKEEPER);
const kSource = resolve(process.env.LOCKKEEPER_SOURCE);
const kHostile = 'hostile "<b>&amp;\'#;%3A,::end.json';
const kReports = {
    canal: ['explore', 'scenarios/canal/findings/leak_resize.json'],
    passes: ['run', 'scenarios/canal/wave/synchronised_repaired.json', 'scenarios/canal/wave/synchronised_warm.json'],
    coordinator: ['explore', 'scenarios/leases/findings/db_renewals_that_waited_twice.json'],
    database: ['explore', 'scenarios/transactional/innodb'],
    monglock: ['explore', 'scenarios/monglock/write_lock/findings'],
    livelock: ['explore', 'scenarios/canal/findings/livelock_crash.json'],
    undecided: ['explore', 'scenarios/canal/small_scopes/3_callers_1x1.json', '--max-states', '100'],
    unreadable: ['run', 'scenarios/canal/livelock', 'no_such_file.json'],
    hostile: ['explore', join(out, kHostile)],
};
const kEndings = ['sarif', 'itf.json', 'mmd', 'perfetto.json', 'dot', 'junit.xml', 'svg', 'json'];

let browser;
before(async () => {
    rmSync(out, {recursive: true, force: true});
    mkdirSync(out, {recursive: true});
    hostileScenario();
    for (const [name, command] of Object.entries(kReports)) {
        const files = kEndings.flatMap(ending => ['--report', join(out, `${name}.${ending}`)]);
        const ran = spawnSync(kCommand, [...command, ...files, '-q'], {cwd: kSource, encoding: 'utf8'});
        assert.ok([0, 1, 2, 65].includes(ran.status), `${command.join(' ')}: ${ran.status} ${ran.stderr}`);
    }
    browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
});
after(() => browser?.close());
const newPage = async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(180_000); // a busy machine's
    return page;
};

function hostileScenario() {
    const scenario = JSON.parse(readFileSync(join(kSource, kReports.canal[1]), 'utf8'));
    scenario.about = `</script> --> ;end "quoted" % \\ ${scenario.about}`;
    writeFileSync(join(out, kHostile), JSON.stringify(scenario));
}
const read = (name, ending) => readFileSync(join(out, `${name}.${ending}`), 'utf8');
const result = name => JSON.parse(read(name, 'json'));

// By name, what Microsoft's validator complains about: the schema, the rules of the format, those of GitHub.
// A file that it cannot read at all ends it in silence; of all others it says that the project has no address
// (SARIF2005).
function complaints(names) {
    const validator = join(package_('@microsoft/sarif-multitool-linux'), 'Sarif.Multitool');
    chmodSync(validator, 0o755);
    const files = names.map(name => join(out, `${name}.sarif`));
    const ran = spawnSync(validator, ['validate', ...files, '--rule-kind', 'Sarif;Ghas'],
        {encoding: 'utf8', env: {...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1'}});
    assert.equal(ran.error, undefined);
    const lines = ran.stdout.split('\n').filter(line => /: (error|warning) /.test(line));
    return Object.fromEntries(names.map((name, i) => {
        const own = lines.filter(line => line.startsWith(`${files[i]}(`));
        const wasRead = own.some(line => line.includes(' SARIF2005: '));
        return [name, [...own.filter(line => !line.includes(' SARIF2005: ')), ...(wasRead ? [] : ['not read'])]];
    }));
}

test('SARIF: its validator has nothing to say', () => {
    const names = Object.keys(kReports);
    const wrong = {
        terrible: log => { log.runs[0].results[0].level = 'terrible'; },
        speechless: log => { delete log.runs[0].results[0].message; },
        nowhere: log => { log.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0; },
    };
    for (const [name, spoil] of Object.entries(wrong)) {
        const log = JSON.parse(read('canal', 'sarif'));
        spoil(log);
        writeFileSync(join(out, `${name}.sarif`), JSON.stringify(log));
    }
    // To start it takes longer than to read: one start for all that it can read. The other one ends it.
    assert.deepEqual(complaints(['terrible']).terrible, ['not read']);
    const found = complaints([...names, 'speechless', 'nowhere']);
    assert.deepEqual(Object.fromEntries(names.map(name => [name, found[name]])),
        Object.fromEntries(names.map(name => [name, []])));
    assert.match(found.speechless.join('\n'), /error JSON1002/);
    assert.match(found.nowhere.join('\n'), /error JSON1008/);
});

test('ITF: Quint reads every state', () => {
    for (const name of Object.keys(kReports)) {
        const trace = JSON.parse(read(name, 'itf.json'));
        assert.equal(ofItfNormalized(trace).length, trace.states.length, name);
    }
    const trace = JSON.parse(read('canal', 'itf.json'));
    assert.ok(trace.states.length > 10);
    trace.states[1][trace.vars[0]] = {'#bigint': 'seven'};
    assert.throws(() => ofItfNormalized(trace));
});

test('Mermaid draws the run', async () => {
    const page = await newPage();
    await page.addScriptTag({path: join(package_('mermaid'), 'dist/mermaid.min.js')});
    const drawn = text => page.evaluate(async source => {
        window.mermaid.initialize({startOnLoad: false});
        return (await window.mermaid.render('drawing', source)).svg;
    }, text);
    for (const name of Object.keys(kReports)) {
        const svg = await drawn(read(name, 'mmd'));
        assert.ok(!svg.includes('<b>'), `${name} has markup`);
        if (name === 'canal') {
            const steps = result(name).violation?.steps ?? [];
            assert.ok(svg.length > 1000 + 10 * steps.length);
        }
    }
    await assert.rejects(drawn(`${read('canal', 'mmd')}\nA1->>>>`));
});

test('Perfetto: Speedscope, which reads the same events, shows every caller', async () => {
    const shown = [];
    for (const name of Object.keys(kReports)) {
        const {traceEvents} = JSON.parse(read(name, 'perfetto.json'));
        if (traceEvents.length === 0) {
            continue;
        }
        const page = await newPage();
        const refused = [];
        page.on('dialog', dialog => {
            refused.push(dialog.message());
            dialog.dismiss();
        });
        await page.goto(pathToFileURL(join(package_('speedscope'), 'dist/release/index.html')).href);
        await page.setInputFiles('input[type=file]', join(out, `${name}.perfetto.json`));
        await page.waitForFunction(() => document.title !== 'speedscope');
        assert.deepEqual(refused, [], name);
        const track = await page.locator('body').innerText();
        assert.ok(track.includes(traceEvents.find(({name}) => name === 'thread_name').args.name), track);
        shown.push(name);
        await page.close();
    }
    assert.deepEqual(shown, ['canal', 'coordinator', 'database', 'monglock', 'livelock', 'hostile']);
});

test('Graphviz lays out the states', async () => {
    const viz = await instance();
    for (const name of Object.keys(kReports)) {
        assert.match(viz.renderString(read(name, 'dot'), {format: 'svg'}), /<svg/, name);
    }
    assert.throws(() => viz.renderString(read('canal', 'dot').replace('}', '')));
});

test('JUnit: a reader counts the cases as the command does', async () => {
    const counted = {};
    for (const name of Object.keys(kReports)) {
        const cases = (await parse(read(name, 'junit.xml'))).testsuite.flatMap(suite => suite.testcase);
        const {files} = result(name);
        assert.equal(cases.length, files?.length ?? 1, name);
        counted[name] = [cases.filter(({failure}) => failure).length, cases.filter(({error}) => error).length];
    }
    assert.deepEqual(counted.canal, [1, 0]);
    assert.deepEqual(counted.passes, [0, 0]);
    assert.deepEqual(counted.undecided, [0, 1]);
    assert.equal(counted.unreadable[1], 1);
});

test('SVG is a picture', async () => {
    const page = await newPage();
    for (const name of Object.keys(kReports)) {
        await page.goto(pathToFileURL(join(out, `${name}.svg`)).href);
        assert.equal(await page.evaluate(() => document.documentElement.localName), 'svg', name);
        assert.equal(await page.locator('parsererror').count(), 0, name);
    }
});
