// SPDX-License-Identifier: Apache-2.0

// What stands in a page: a document, and what the command says without a script. From the document
// the runs, files and operations that are shown.
import type {AgainstDocument, FileRow, FoundViolation, HistoryDetail, HistoryDocument, MeasureDocument, PageDocument, ResultDocument, ResultFile, Run, RunParts, ServerDocument} from './data';
import {counted} from './figures';

export interface Page {
    document: PageDocument;
    title: string;
    head: string; // HTML, as the command wrote it: the first screen,
    text: string; // and the report as text
}

function pageOf(root: ParentNode, json: string): Page {
    const html = (selector: string) => root.querySelector(selector)?.outerHTML ?? '';
    return {document: JSON.parse(json) as PageDocument, title: root.querySelector('h1')?.textContent ?? '', head: html('header.summary'), text: html('details.as-text')};
}

// Of this page, or why it cannot be shown.
export function readPage(): Page | string {
    try {
        return pageOf(document, document.getElementById('data')?.textContent ?? '');
    } catch (error) {
        return `The report in this page cannot be read: ${(error as Error).message}`;
    }
}

// A report that was made in a page: its last line is the document (wasm/browser/page_shell.cpp).
export function readReport(report: string): Page {
    const end = report.trimEnd().lastIndexOf('\n');
    return pageOf(new DOMParser().parseFromString(report.slice(0, end), 'text/html'), report.slice(end + 1));
}

const titleOf = (property: string, number: number | null) => `P${number} ${property}`;

// "P2 leak in 22 steps"
function titleOfFound({difference, property, number, steps}: FoundViolation): string {
    return difference ? difference : property === null ? `stuck after ${counted(steps, 'step')}` : `${titleOf(property, number)} in ${counted(steps, 'step')}`;
}

function runOf(parts: RunParts, file: string, title: string, found: {replay?: string; schedule?: string; property?: string | null; cycle_from?: number | null}): Run {
    const {properties = [], parties = [], keys = [], fields = [], initial_values = [], operations = [], messages = [], cycle_from, ...rest} = parts;
    const from = found.cycle_from ?? cycle_from;
    return {
        ...rest, properties, parties, keys, fields, initial_values, operations, messages, file, title,
        trace: parts.trace.map(step => step.also_violates ? {...step, violates: [...step.violates, ...step.also_violates]} : step),
        replay: found.replay ?? '', schedule: found.schedule ?? '', ...(found.property ? {property: found.property} : {}), ...(from ? {cycle_from: from} : {}),
    };
}

// Of each file what it replayed, or each violation, with the nearest run that passes behind it.
function ofResults({files, violations}: ResultDocument): {files: FileRow[]; runs: Run[]} {
    const runs: Run[] = [];
    const found = new Map<string, FoundViolation[]>();
    violations.forEach(one => found.set(one.file, [...found.get(one.file) ?? [], one]));
    const add = (parts: RunParts, file: string, title: string, one: FoundViolation | ResultFile): number[] => {
        if (!parts.parties) {
            return [];
        }
        const run = runOf(parts, file, title, one as FoundViolation);
        const own = runs.push(run) - 1;
        const {nearest, property, number} = one as FoundViolation;
        if (nearest?.parties && property) {
            const steps = counted(nearest.trace.length, 'step');
            const words = (trace: RunParts['trace']) => trace[nearest.differs_at - 1]?.text ?? 'nothing';
            runs.push(runOf(nearest, file, `keeps ${titleOf(property, number)}, ${nearest.ends ? 'ends after' : 'shown for'} ${steps}`, nearest));
            run.nearest = {run: own + 1, differs_at: nearest.differs_at, why: `Above: ${words(parts.trace)}. Below: ${words(nearest.trace)}.`};
        }
        return [own];
    };
    const rows = files.map(file => {
        const own = found.get(file.file) ?? [];
        found.delete(file.file); // of several with one name the first
        const first = own[0];
        const title = first ? titleOfFound(first) : `${file.verdict} after ${counted(file.trace?.length ?? 0, 'step')}`;
        const replayed = file.parties && add(file as RunParts, file.file, title, first ?? {...file, replay: file.repeat});
        return {...file, replay: first?.replay, runs: replayed ?? own.flatMap(one => add(one, file.file, titleOfFound(one), one))};
    });
    return {files: rows, runs};
}

function ofCompared({compared}: AgainstDocument): {files: FileRow[]; runs: Run[]} {
    const runs: Run[] = [];
    const files = compared.map(({file, error, verdict = 'error', schedules, difference, replay, schedule, run}) => {
        const own = run?.parties ? [runs.push(runOf(run, file, difference ?? verdict, {...(replay ? {replay} : {}), ...(schedule ? {schedule} : {})})) - 1] : [];
        return {file, verdict, schedules: schedules ?? null, detail: error ?? difference ?? '', replay, runs: own};
    });
    return {files, runs};
}

function shownOf(document: PageDocument): {files: FileRow[]; runs: Run[]} {
    if ('result_version' in document) {
        return ofResults(document as ResultDocument);
    }
    if ('validate_against_version' in document) {
        return ofCompared(document as AgainstDocument);
    }
    const measured = 'measure_version' in document ? (document as MeasureDocument).files : [];
    const compared = 'validate_server_version' in document ? (document as ServerDocument).scenarios : [];
    const files = [
        ...measured.map(file => ({...file, system: file.points[0]?.system, variant: file.points[0]?.variant, replay: file.repeat})),
        ...compared.map(({file, verdict, schedules, reason, difference}) => ({file, verdict, schedules, detail: reason ?? difference?.text ?? ''})),
    ];
    return {files, runs: []};
}

// Files: where there are several, and where each is a test.
export function shownIn(document: PageDocument): {files: FileRow[]; runs: Run[]} {
    const {files, runs} = shownOf(document);
    return {files: files.length > 1 || document.command === 'run' ? files : [], runs};
}

export function historyIn({calls, model, ladder, tightest, explanations}: HistoryDocument): HistoryDetail {
    const places = new Map(calls.record.map((record, i) => [record, i]));
    const place = ({record}: {record: number}) => places.get(record)!;
    return {
        ...calls, model, ladder, tightest,
        explanations: explanations.map(({key, verdict, prefix, unplaced, reason, holders}) => ({
            key: Math.max(0, calls.keys.indexOf(key ?? '')), verdict, reason, holders, order: prefix.map(place), ...(unplaced ? {unplaced: place(unplaced)} : {}),
        })),
    };
}
