// SPDX-License-Identifier: Apache-2.0

// A scenario as a form: sliders for the numbers that it may have, its callers with what they call, what is judged. The
// engine says what may be set, and writes the text anew; callers are changed in the text itself, and drawn from it. The
// numbers shown are those that were read last, so each change is one of the text as it is by then.
import {useState} from 'preact/hooks';

import type {ScenarioAnswer, SettableNumber} from './serve_data';

interface Props {
    text: string;
    scenario: ScenarioAnswer; // of what was read last
    calls: string[]; // that the system knows
    set: (numbers: Record<string, number>, check: (document: Document) => string[]) => void;
    rewrite: (change: Change) => void;
}
export type Change = (document: Document) => Document;

// Of a text; where somebody is writing in it, of the one that was read last.
export function documentOf(text: string, read: string): Document {
    try {
        const document = JSON.parse(text) as Document;
        const callers: unknown = document.callers ?? [];
        if (isCall(document) && Array.isArray(callers) && callers.every(isCall)) {
            return document;
        }
    } catch {
        // no JSON yet
    }
    return JSON.parse(read) as Document;
}

export function ScenarioForm({text, scenario, calls, set, rewrite}: Props) {
    const document = documentOf(text, scenario.text);
    const {numbers} = scenario;
    const isUsual = ({value}: SettableNumber) => value !== null && value !== 0;
    const [all, setAll] = useState(false);
    const shown = numbers.filter(number => all || isUsual(number) || /^(crashes|callers)$/.test(number.name));
    return (
        <div class="scenario-form">
            <fieldset class="sliders">
                <legend>numbers</legend>
                {shown.map(number => <Slider key={number.name} number={number} set={value => set({[number.name]: value}, () => [])} />)}
                {(all || shown.length < numbers.length) && <button type="button" aria-pressed={all} onClick={() => setAll(!all)}>{all ? 'fewer numbers' : `all ${numbers.length} numbers and faults`}</button>}
            </fieldset>
            <Callers document={document} calls={calls} change={change => rewrite(now => ({...now, callers: change(now.callers ?? [])}))} />
            <Checks document={document} scenario={scenario} set={check => set({}, now => check(now.check))} />
        </div>
    );
}

const kSpan = 8; // a slider of thousands would be of no use: it grows with its value

function Slider({number: {name, value, least, most, about}, set}: {number: SettableNumber; set: (value: number) => void}) {
    const end = Math.min(most, Math.max(least + kSpan, 2 * (value ?? 0)));
    const id = `set-${name}`;
    const take = (text: string) => {
        const taken = Number(text);
        if (text !== '' && Number.isInteger(taken) && taken >= least && taken <= most) {
            set(taken);
        }
    };
    return (
        <div class="slider">
            <label for={id} title={about}>{name}</label>
            <input id={id} type="range" min={least} max={end} step={1} value={value ?? least} aria-describedby={`${id}-about`} onChange={event => take(event.currentTarget.value)} />
            <input type="number" aria-label={`${name}, as a number`} min={least} max={most} value={value ?? ''} placeholder={value === null ? 'several' : ''} onChange={event => take(event.currentTarget.value)} />
            <small id={`${id}-about`} class="note">{about}</small>
        </div>
    );
}

// ---- callers ------------------------------------------------------------------------------------------------------

type Call = Record<string, unknown>;
interface Caller extends Record<string, unknown> { script: unknown }
export interface Document extends Record<string, unknown> { callers?: Caller[]; check?: string | string[] }

const isCall = (value: unknown): value is Call => typeof value === 'object' && value !== null && !Array.isArray(value);
const isScript = (value: unknown): value is Call[] => Array.isArray(value) && value.every(isCall);

function Callers({document: {callers = []}, calls, change}: {document: Document; calls: string[]; change: (change: (callers: Caller[]) => Caller[]) => void}) {
    const replaced = (i: number, script: (script: Call[]) => Call[]) => change(now => now.map((caller, other) =>
        other === i && isScript(caller.script) ? {...caller, script: script(caller.script)} : caller));
    const withAnother = (now: Caller[]) => [...now, {name: letterFor(now), script: now[0]?.script ?? [{acquire: {key: 'db'}}, {release: {key: 'db'}}]}];
    return (
        <fieldset class="callers">
            <legend>callers</legend>
            {callers.map((caller, i) => (
                <div key={i} class="caller">
                    <b>{String(caller['name'] ?? `entry ${i + 1}`)}{Number(caller['count'] ?? 1) > 1 && ` × ${String(caller['count'])}`}</b>
                    {isScript(caller.script)
                        ? <Script script={caller.script} calls={calls} name={String(caller['name'] ?? i + 1)} change={script => replaced(i, script)} />
                        : <code>{JSON.stringify(caller.script)}</code>}
                    {callers.length > 1 && <button type="button" aria-label={`Remove caller ${String(caller['name'] ?? i + 1)}`} onClick={() => change(now => now.filter((_, other) => other !== i))}>×</button>}
                </div>
            ))}
            <button type="button" onClick={() => change(withAnother)}>another caller</button>
        </fieldset>
    );
}

function letterFor(callers: Caller[]): string {
    const taken = new Set(callers.map(({name}) => name));
    return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].find(letter => !taken.has(letter)) ?? `caller${callers.length + 1}`;
}

// What one caller calls, one after the other.
function Script({script, calls, name, change}: {script: Call[]; calls: string[]; name: string; change: (change: (script: Call[]) => Call[]) => void}) {
    const moved = (i: number, by: number) => change(now => {
        const next = [...now];
        next.splice(i + by, 0, ...next.splice(i, 1));
        return next;
    });
    const key = script.map(call => Object.values(call)[0]).find((given): given is Call => isCall(given) && typeof given['key'] === 'string')?.['key'];
    return (
        <>
            <ol class="script">{script.map((call, i) => {
                const [word, given] = Object.entries(call)[0] ?? ['', {}];
                return (
                    <li key={i}>
                        <span class="chip"><b>{word}</b> {isCall(given) ? Object.entries(given).map(([name, value]) => `${name} ${String(value)}`).join(', ') : JSON.stringify(given)}</span>
                        <button type="button" disabled={i === 0} aria-label={`${name}: ${word} earlier`} onClick={() => moved(i, -1)}>↑</button>
                        <button type="button" disabled={script.length === 1} aria-label={`${name}: without ${word}`} onClick={() => change(now => now.filter((_, other) => other !== i))}>×</button>
                    </li>
                );
            })}</ol>
            <select aria-label={`${name}: call also`} value="" onChange={({currentTarget: {value}}) => change(now => [...now, callOf(now, value, key)])}>
                <option value="" disabled>call also…</option>
                {calls.map(call => <option key={call}>{call}</option>)}
            </select>
        </>
    );
}

// As the script calls it already; else of the same key.
function callOf(script: Call[], word: string, key: unknown): Call {
    const known = script.find(call => word in call);
    return known ? structuredClone(known) : {[word]: key === undefined ? {} : {key}};
}

function Checks({document: {check}, scenario: {checks, judged}, set}: {document: Document; scenario: ScenarioAnswer; set: (change: (check: Document['check']) => string[]) => void}) {
    // For a word for several ("safety", ["safety"]) the engine says which they are.
    const listed = (given: Document['check']) => Array.isArray(given) && given.every(name => checks.includes(name)) ? given : judged;
    const some = listed(check);
    // The last one stays: of none the engine changes nothing.
    const toggle = (name: string, isOn: boolean) => set(now => {
        const others = listed(now).filter(other => other !== name);
        return isOn ? [...others, name] : others;
    });
    return (
        <details class="checks">
            <summary>judged: {check === undefined ? 'all' : [check].flat().join(', ')}</summary>
            {checks.map(name => <label key={name} class="check"><input type="checkbox" checked={some.includes(name)} onChange={event => toggle(name, event.currentTarget.checked)} /> {name}</label>)}
        </details>
    );
}
