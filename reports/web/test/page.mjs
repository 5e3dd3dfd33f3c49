// SPDX-License-Identifier: Apache-2.0

// Pages for the tests: a document, and what is readable without script, put into the built page as the command does it.
import {readFileSync, writeFileSync, mkdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const out = join(here, 'out');

const escaped = text => String(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);

// What is readable without script.
export function summaryHtml(summary) {
    const rows = (summary.facts ?? []).map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`);
    return `<main><header class="summary"><p class="where"><span class="badge signed bad">${escaped(summary.verdict)}</span> <span class="file">${escaped(summary.file ?? '')}</span> <span class="system">${escaped(summary.system ?? '')}</span></p>` +
        `<h1>${escaped(summary.title)}</h1>${summary.sentence ? `<p class="sentence">${escaped(summary.sentence)}</p>` : ''}` +
        `<p class="scope"><b>scope</b> ${escaped(summary.scope)}</p>` +
        (summary.replay ? `<div class="replay"><b>replay</b> <div class="copyable"><pre><code>${escaped(summary.replay)}</code></pre></div></div>` : '') +
        (summary.about ? `<p class="about">${escaped(summary.about)}</p>` : '') +
        `<dl class="facts">${rows.join('')}</dl></header></main>`;
}

export function writePage(name, {summary, document}) {
    const shell = readFileSync(join(here, '../dist/index.html'), 'utf8');
    // As the command does: nothing in the data can end the script or begin a comment in it.
    const json = JSON.stringify(document).replaceAll('<', '\\u003c');
    const html = shell
        .replace('<!--lockkeeper:title-->', () => escaped(summary.title))
        .replace('<!--lockkeeper:summary-->', () => summaryHtml(summary))
        .replace('<!--lockkeeper:data-->', () => json);
    mkdirSync(out, {recursive: true});
    const path = join(out, `${name}.html`);
    writeFileSync(path, html);
    return pathToFileURL(path).href;
}

export const readData = name => JSON.parse(readFileSync(join(here, 'data', `${name}.json`), 'utf8'));

// A run of so many steps: callers take turns at acquiring and releasing.
export function longRun(count, callers = 4) {
    const parties = Array.from({length: callers}, (_, i) => ({name: `C${i}`, kind: 'caller'}));
    const fields = [{name: 'db[1]', kind: 'counter', key: 0, place: 1}, {name: 'capacity', kind: 'capacity', key: 0},
        ...parties.map((party, i) => ({name: `${party.name} believes to hold db`, kind: 'believed', party: i, key: 0}))];
    const holds = parties.map(() => 0);
    let used = 0;
    const steps = [];
    const operations = [];
    for (let at = 1; at <= count; ++at) {
        const party = (at * 7) % callers;
        const takes = !holds[party];
        holds[party] = takes ? 1 : 0;
        used += takes ? 1 : -1;
        steps.push({action: `s${party}`, party, kind: 'step', text: `C${party} ${takes ? 'acquire: take' : 'release: give'}`, label: takes ? 'take' : 'give',
            result: takes ? '-> acquired' : '-> released', state: `db [${used}]`, changes: [[0, used], [2 + party, holds[party]]],
            violates: at === count ? ['leak'] : [], cause: at % 9973 === 0});
        operations.push({party, name: takes ? 'acquire' : 'release', key: 0, call: at, return: at, outcome: 'ok'});
    }
    return {file: 'long.json', replay: 'lockkeeper replay long.json', schedule: 'lk1:1:s0', property: 'leak', number: 2, steps: count, overlaps: [],
        properties: [{name: 'leak', number: 2, severity: 'fatal', kind: 'always', definition: 'No unit is lost.'}],
        parties, keys: ['db'], fields, initial_state: 'db [0]', initial_values: [0, 2, ...parties.map(() => 0)], trace: steps, operations};
}

export const pageOf = document => ({summary: {verdict: 'violated', title: 'violated: P2 leak', scope: 'complete'},
    document: {version: '0.1.0', commit: 'test', command: 'explore', ...document}});
export const resultOf = violation => pageOf({result_version: 1, violations: [violation], files: [{file: violation.file, system: 'canal', variant: 'faithful', verdict: 'violated', scope: '', seconds: 1}]});

export function longHistory(count, processes = 20) {
    const calls = {unit: 'ns', processes: Array.from({length: processes}, (_, i) => `worker ${i}`), functions: ['acquire', 'release'], keys: [''],
        process: [], f: [], key: [], call: [], return: [], outcome: '', record: []};
    for (let i = 0; i < count; ++i) {
        calls.process.push(i % processes);
        calls.f.push(Math.floor(i / processes) % 2);
        calls.key.push(0);
        calls.call.push(i * 10);
        calls.return.push(i % 501 === 500 ? null : i * 10 + 10 * processes - 15);
        calls.outcome += i % 501 === 500 ? 'i' : i % 7 === 6 ? 'f' : 'o';
        calls.record.push(2 * i + 1);
    }
    const unplaced = Math.floor(count * 0.6);
    const invocation = i => ({record: calls.record[i]});
    return pageOf({history_version: 1, model: 'mutex', calls, tightest: null,
        ladder: [{name: 'strict', contract: 'One holds at a time.', verdict: 'violated', detail: 'record 7', excess: null, duration: null}],
        explanations: [{key: null, verdict: 'violated', prefix: Array.from({length: unplaced}, (_, i) => invocation(i)), unplaced: invocation(unplaced), reason: 'Another process holds the lock.', holders: 'worker 3'}]});
}

// Rates of one file, at each point of a sweep.
const figure = (value, spread = 0.2) => ({value, low: value * (1 - spread), high: value * (1 + spread)});
export function measured(sweep) {
    const point = at => ({system: 'canal', variant: 'faithful', scope: '2 callers', at, capacity: 2, forecast: null, result: {method: 'sampled', complete: true, limit: '', confidence: 0.99,
        properties: ['leak', 'over-allocation'].map((property, i) => ({property, number: i + 1, per_run: figure(1e-4 * (i + 1) * (1 + (at.crash ?? 0))), count_per_run: figure(2e-4), per_acquire: figure(1e-5), seconds_to_first: null, fraction_of_time: null, hits: 4})),
        acquires_per_run: figure(2), capacity_lost_per_run: null, seconds_per_run: null, states: 0, runs: 1000, steps: 1000, seconds: 1}});
    return pageOf({measure_version: 1, files: [{file: 'leak.json', verdict: 'measured', detail: '', scope: '2 callers', law: {text: 'uniform', from: 'default'}, warnings: [], measured: ['leak', 'over-allocation'], points: sweep.map(point),
        max_rate: [{property: 'leak', bound: 2e-4, rate: figure(1e-4), method: 'sampled', met: true}], repeat: 'lockkeeper measure leak.json'}]});
}
