// SPDX-License-Identifier: Apache-2.0

// A lock in JavaScript, as `validate --program "node FILE"` takes it, and the callers that it meets.
import {useEffect, useRef, useState} from 'preact/hooks';

import {copyText} from './copy';
import {Ended, type CommandAnswer, type EngineWorker} from './engine_worker';
import {ownLockWorker} from './own_lock_frame';
import {hashOf, pack, unpack} from './playground_link';
import {ReportFrame} from './playground_report_view';
import {select} from './playground_starts';
import {dataOf} from './playground_tools';
import {validateCommand} from './shell_text';

export interface OwnLockText {
    file: string; // "set_nx_px.js"
    program: string;
    flags: string;
    scenario: string;
}

const isOwnLock = (value: unknown): value is OwnLockText => typeof value === 'object' && value !== null &&
    ['file', 'program', 'flags', 'scenario'].every(name => typeof (value as Record<string, unknown>)[name] === 'string') && /^\w+\.js$/.test((value as OwnLockText).file);

const kVerdicts: Record<number, [string, string]> = {0: ['good', 'passed'], 1: ['bad', 'violated'], 2: ['open', 'not decided']};
const kTypingMilliseconds = 800; // then the search begins again

export function OwnLock({packed}: {packed: string}) {
    const [lock, setLock] = useState<OwnLockText>();
    const [why, setWhy] = useState('');
    useEffect(() => {
        unpack(packed).then(value => {
            if (!isOwnLock(value)) {
                throw new Error('the address holds no lock');
            }
            setLock(value);
        }).catch((error: Error) => setWhy(`The address cannot be read: ${error.message}`));
    }, [packed]);
    return why !== '' ? <p class="warning" role="alert">{why}</p> : lock ? <Editor begin={lock} /> : <p class="nothing">…</p>;
}

function Editor({begin}: {begin: OwnLockText}) {
    const [lock, setLock] = useState(begin);
    const program = useRef<HTMLTextAreaElement>(null);
    const {answer, state, run, end} = useRuns();
    const [told, setTold] = useState('');
    useEffect(() => run(lock), []);
    const change = (changed: Partial<OwnLockText>) => {
        const next = {...lock, ...changed};
        setLock(next);
        run(next, kTypingMilliseconds);
    };
    const copy = async (what: string, text: () => string) => {
        try {
            setTold(await copyText(text()) ? `${what} is copied` : `${what} cannot be copied`);
        } catch (error) {
            setTold((error as Error).message);
        }
    };
    const mistake = answer && new RegExp(`${lock.file.replaceAll('.', '\\.')}:(\\d+)`).exec(answer.err)?.[1];
    return (
        <section class="own-lock">
            <h1>{lock.file}</h1>
            <div class="own-lock-texts">
                <label>lock <textarea ref={program} aria-label="Lock" spellcheck={false} value={lock.program} onInput={event => change({program: event.currentTarget.value})} /></label>
                <label>callers <textarea aria-label="Callers" spellcheck={false} value={lock.scenario} onInput={event => change({scenario: event.currentTarget.value})} /></label>
            </div>
            <p class="search-buttons">
                <label>flags <input aria-label="Flags" value={lock.flags} onInput={event => change({flags: event.currentTarget.value})} /></label>
                <button class="race" onClick={() => run(lock)}>see the race</button>
                {state === 'runs' && <button onClick={end}>cancel</button>}
                <button onClick={() => void copy('the link', () => location.href)}>copy link</button>
                <button onClick={() => void copy('the command', () => validateCommand(lock.file, lock.flags, lock.program, lock.scenario))} title="What to type at home for the same">copy as command</button>
                <span role="status" class="told">{told}</span>
            </p>
            <p role="status" class="own-lock-state">{state === 'runs' ? 'searching…' : state === 'ended' ? 'cancelled' : ''}</p>
            {answer && state === '' && <Outcome answer={answer} {...(mistake ? {line: Number(mistake), goTo: () => select(program.current!, Number(mistake), 1)} : {})} />}
        </section>
    );
}

function Outcome({answer, line, goTo}: {answer: CommandAnswer; line?: number; goTo?: () => void}) {
    const [kind, word] = kVerdicts[answer.exit_code] ?? ['bad', 'refused'];
    const page = answer.files['report.html'];
    return (
        <>
            <p><b class={`badge ${kind}`}>{word}</b> {line !== undefined && <button onClick={goTo}>line {line}</button>}</p>
            {answer.exit_code > 2 || page === undefined ? <pre class="warning">{answer.err}</pre> : <ReportFrame page={dataOf(page)} />}
            <details><summary>what the command prints</summary><pre>{answer.out}</pre></details>
        </>
    );
}

// One run at a time: a new one ends the one before, with the frame that it runs in.
function useRuns() {
    const worker = useRef<EngineWorker>();
    const timer = useRef<ReturnType<typeof setTimeout>>();
    const [answer, setAnswer] = useState<CommandAnswer>();
    const [state, setState] = useState<'' | 'runs' | 'ended'>('');
    const begin = async (lock: OwnLockText) => {
        setState('runs');
        const packed = await pack(lock);
        history.replaceState(history.state, '', hashOf({kind: 'j', packed}, {schedule: ''}));
        worker.current ??= ownLockWorker();
        try {
            setAnswer(await worker.current.command(
                {arguments: ['validate', '--program', `node ${lock.file} ${lock.flags}`.trim(), 'callers.json', '-q', '--report', 'report.html'], files: {'callers.json': lock.scenario, [lock.file]: lock.program}},
                {[lock.file]: lock.program, 'lockkeeper_client.js': await clientText()}));
            setState('');
        } catch (error) {
            if (!(error instanceof Ended)) {
                setAnswer({exit_code: 70, out: '', err: (error as Error).message, files: {}});
                setState('');
            }
        }
    };
    const end = () => {
        clearTimeout(timer.current);
        if (worker.current?.isBusy) {
            worker.current.end();
            worker.current = undefined;
            setState('ended');
        }
    };
    useEffect(() => end, []);
    const run = (lock: OwnLockText, after = 0) => {
        end();
        timer.current = setTimeout(() => void begin(lock), after);
    };
    return {answer, state, run, end};
}

let client: Promise<string> | undefined;
const clientText = (): Promise<string> => client ??= fetch('lockkeeper_client.js').then(response => response.text());
