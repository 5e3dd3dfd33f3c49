// SPDX-License-Identifier: Apache-2.0

// Where a visitor begins: locks that everybody knows, each in its wrong and its right form; any scenario that is
// shipped; and one of the reader's own.
import {useEffect, useState} from 'preact/hooks';

import type {PlaygroundClient} from './playground_client';
import {pack} from './playground_link';
import {OwnScenario} from './playground_scenario';
import {ask} from './serve_client';
import type {ExplorationAnswer, OpenFile} from './serve_data';

// starts.json: made by wasm/playground.py of wasm/starts.json. A form is a scenario, or a lock in JavaScript.
interface Form {
    name: string; // of its file
    text?: string; // the scenario
    own?: {file: string; program: string; flags: string; scenario: string};
}
interface Start {
    title: string;
    about: string;
    wrong: Form;
    right: Form;
}

interface Props {
    client: PlaygroundClient;
    opened: (address: string) => void;
    own: (hash: string) => void;
}

const kLookMilliseconds = 150;

async function loaded<T>(file: string): Promise<T> {
    const response = await fetch(file);
    if (!response.ok) {
        throw new Error(`${file}: ${response.status}`);
    }
    return await response.json() as T;
}

export function Starts({client, opened, own}: Props) {
    const [starts, setStarts] = useState<Start[]>([]);
    const [told, setTold] = useState('');
    const [progress, setProgress] = useState('');
    useEffect(() => { loaded<Start[]>('starts.json').then(setStarts).catch((error: Error) => setTold(error.message)); }, []);

    const search = async (name: string, text: string) => {
        setTold('');
        setProgress('begins');
        try {
            const file = await client.open(name, text);
            const found = await searched(file, setProgress);
            opened(client.addressOf(found));
        } catch (error) {
            setTold((error as Error).message);
            throw error;
        } finally {
            setProgress('');
        }
    };
    const take = (form: Form) => form.own
        ? void pack(form.own).then(packed => own(`#1j/${packed}`))
        : void search(form.name, form.text!).catch(() => {});
    return (
        <>
            <h1>Find the race in a lock</h1>
            <p>Lockkeeper decides everything that happens next to a lock: who takes a step, who crashes, when time goes on. It tries all ways, here in your browser, and shows the shortest one that breaks a promise.</p>
            {told !== '' && <p class="warning" role="alert">{told}</p>}
            {progress !== '' && <p role="status" class="searching">{progress} <button onClick={() => client.cancel()}>cancel</button></p>}
            <ul class="starts">{starts.map(start => (
                <li key={start.title}>
                    <h2>{start.title}</h2>
                    <p>{start.about}</p>
                    <p class="search-buttons">
                        <button class="race" disabled={progress !== ''} onClick={() => take(start.wrong)} title={start.wrong.name}>see the race</button>
                        <button disabled={progress !== ''} onClick={() => take(start.right)} title={start.right.name}>the right form</button>
                    </p>
                </li>
            ))}</ul>
            <Shipped search={search} fail={setTold} />
            <OwnScenario search={search} />
        </>
    );
}

// The place to look at: the shortest violation, or the beginning.
export async function searched(file: OpenFile, tell: (progress: string) => void): Promise<{file: number; schedule: string; cycle_from?: number}> {
    if (!/:$/.test(file.schedule)) { // a trace
        return {file: file.number, schedule: file.schedule, ...(file.cycle_from === undefined ? {} : {cycle_from: file.cycle_from})};
    }
    let answer = await ask<ExplorationAnswer>('explore', {file: file.number, schedule: file.schedule, check: [], stop_at_first: true});
    while (answer.phase === 'running') {
        tell(answer.text ?? '');
        await new Promise(done => setTimeout(done, kLookMilliseconds));
        answer = await ask<ExplorationAnswer>('exploration');
    }
    if (answer.error) {
        throw new Error(answer.error);
    }
    const found = answer.violations?.[0];
    return {file: file.number, schedule: found?.schedule ?? file.schedule, ...(found?.cycle_from === undefined ? {} : {cycle_from: found.cycle_from})};
}

type Search = (name: string, text: string) => Promise<void>;

function Shipped({search, fail}: {search: Search; fail: (why: string) => void}) {
    const [files, setFiles] = useState<Record<string, string>>();
    const load = () => { if (!files) { loaded<Record<string, string>>('scenarios.json').then(setFiles).catch((error: Error) => fail(error.message)); } };
    return (
        <details class="shipped" onToggle={event => { if (event.currentTarget.open) { load(); } }}>
            <summary>All scenarios that Lockkeeper ships</summary>
            {files && <label>file <select aria-label="Shipped scenario" value="" onChange={event => void search(event.currentTarget.value, files[event.currentTarget.value]!).catch(() => {})}>
                <option value="" disabled>choose one of {Object.keys(files).length}</option>
                {Object.keys(files).map(name => <option key={name} value={name}>{name.replace('scenarios/', '')}</option>)}
            </select></label>}
        </details>
    );
}
