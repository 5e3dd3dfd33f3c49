// SPDX-License-Identifier: Apache-2.0

// A lock in JavaScript, as `validate --program "node FILE"` takes it, and the callers that it meets.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import type {Problem} from './code_editor';
import {copyText, markdown} from './copy';
import {Ended, type CommandAnswer, type EngineWorker} from './engine_worker';
import {ownLockWorker} from './own_lock_frame';
import {hashOf, inHash, pack, unpack} from './playground_link';
import {ReportFrame, type ReportPlace} from './playground_report_view';
import {readReport, shownIn, type Page} from './read';
import {validateCommand} from './shell_text';
import {TextEditor} from './text_editor';

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
const kCallersOpen = 600; // letters: more are folded away

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
    const [at, setAt] = useState(() => placeIn(location.hash));
    const [shown, setShown] = useState(0);
    const {answer, state, progress, run, end} = useRuns();
    useEffect(() => run(lock, 0, at), []);
    const change = (changed: Partial<OwnLockText>) => {
        const next = {...lock, ...changed};
        setLock(next);
        setAt(undefined);
        run(next, kTypingMilliseconds);
    };
    const select = (place: ReportPlace) => {
        setAt(place);
        keepPlace(place);
    };
    const problem = useMemo(() => answer && problemIn(answer, lock.file), [answer]);
    const page = state === '' && answer && answer.exit_code <= 2 ? answer.files['report.html'] : undefined;
    const read = useMemo(() => page === undefined ? undefined : readReport(page), [page]);
    return (
        <section class="own-lock">
            <div class="own-lock-head">
                <h1>{lock.file}</h1>
                <label>flags <input aria-label="Flags" value={lock.flags} onInput={event => change({flags: event.currentTarget.value})} /></label>
                <button class="race" onClick={() => { setAt(undefined); run(lock); }}>see the race</button>
                {state === 'runs' && <button onClick={end}>cancel</button>}
                <Copies lock={lock} page={read} at={at} />
            </div>
            <div class="own-lock-parts">
                <div class="own-lock-texts">
                    <TextEditor label="Lock" kind="lock" value={lock.program} change={program => change({program})} problem={problem} shown={shown} />
                    <details open={lock.scenario.length < kCallersOpen}>
                        <summary>callers</summary>
                        <TextEditor label="Callers" kind="scenario" value={lock.scenario} change={scenario => change({scenario})} />
                    </details>
                </div>
                <div class="own-lock-outcome">
                    <p role="status" class="own-lock-state">{state === 'runs' ? progress : state === 'ended' ? 'cancelled' : ''}</p>
                    {answer && state === '' && <Outcome answer={answer} page={page} title={read?.title ?? ''} at={at} select={select}
                        {...(problem ? {line: problem.line, goTo: () => setShown(shown + 1)} : {})} />}
                </div>
            </div>
        </section>
    );
}

function Copies({lock, page, at}: {lock: OwnLockText; page: Page | undefined; at: ReportPlace | undefined}) {
    const [told, setTold] = useState('');
    const copy = async (what: string, text: () => string) => {
        try {
            setTold(await copyText(text()) ? `${what} is copied` : `${what} cannot be copied`);
        } catch (error) {
            setTold((error as Error).message);
        }
    };
    const runs = useMemo(() => page === undefined ? [] : shownIn(page.document).runs, [page]);
    return (
        <>
            <button onClick={() => void copy('the link', () => location.href)}>copy link</button>
            <button disabled={runs.length === 0} onClick={() => void copy('the Markdown', () => markdown(runs[at?.run ?? 0]!, location.href))} title="A collapsed diagram and the link, for an issue or a review">copy as Markdown</button>
            <button onClick={() => void copy('the command', () => validateCommand(lock.file, lock.flags, lock.program, lock.scenario))} title="What to type at home for the same">copy as command</button>
            <span role="status" class="told">{told}</span>
        </>
    );
}

interface OutcomeProps {
    answer: CommandAnswer;
    page: string | undefined;
    title: string;
    at: ReportPlace | undefined;
    select: (place: ReportPlace) => void;
    line?: number;
    goTo?: () => void;
}

function Outcome({answer, page, title, at, select, line, goTo}: OutcomeProps) {
    const [kind, word] = kVerdicts[answer.exit_code] ?? ['bad', 'refused'];
    return (
        <>
            <p class="own-lock-verdict"><b class={`badge ${kind}`}>{word}</b> {title.replace(/^\w+: /, '')} {line !== undefined && <button onClick={goTo}>line {line}</button>}</p>
            {page === undefined ? <pre class="warning">{answer.err}</pre> : <ReportFrame page={page} at={at} select={select} />}
            <details><summary>what the command prints</summary><pre>{answer.out}</pre></details>
        </>
    );
}

// The line of the lock's file that the words name first.
function problemIn({exit_code, err}: CommandAnswer, file: string): Problem | undefined {
    const line = exit_code > 2 ? new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`).exec(err)?.[1] : undefined;
    return line === undefined ? undefined : {line: Number(line), message: /\w*Error: .*/.exec(err)?.[0] ?? err};
}

// The step that an address names: a run of the report and a step of it.
function placeIn(hash: string): ReportPlace | undefined {
    const {at, run} = inHash(hash) ?? {};
    return at === undefined ? undefined : {run: run === undefined ? 0 : run - 1, step: at};
}
function keepPlace({run, step}: ReportPlace): void {
    const link = inHash(location.hash);
    if (link?.kind === 'j') {
        history.replaceState(history.state, '', hashOf(link, {schedule: '', at: step, ...(run > 0 ? {run: run + 1} : {})}));
    }
}

// One run at a time: a new one ends the one before, with the frame that it runs in.
function useRuns() {
    const worker = useRef<EngineWorker>();
    const timer = useRef<ReturnType<typeof setTimeout>>();
    const [answer, setAnswer] = useState<CommandAnswer>();
    const [state, setState] = useState<'' | 'runs' | 'ended'>('');
    const [progress, setProgress] = useState('');
    const begin = async (lock: OwnLockText, at?: ReportPlace) => {
        setState('runs');
        setProgress('searching…');
        const packed = await pack(lock);
        history.replaceState(history.state, '', hashOf({kind: 'j', packed}, {schedule: ''}));
        if (at) {
            keepPlace(at);
        }
        worker.current ??= ownLockWorker();
        try {
            setAnswer(await worker.current.command(
                {arguments: ['validate', '--program', `node ${lock.file} ${lock.flags}`.trim(), 'callers.json', '--report', 'report.html'], files: {'callers.json': lock.scenario, [lock.file]: lock.program}},
                {[lock.file]: lock.program, 'lockkeeper_client.js': await clientText()}, setProgress));
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
    const run = (lock: OwnLockText, after = 0, at?: ReportPlace) => {
        end();
        timer.current = setTimeout(() => void begin(lock, at), after);
    };
    return {answer, state, progress, run, end};
}

let client: Promise<string> | undefined;
const clientText = (): Promise<string> => client ??= fetch('lockkeeper_client.js').then(response => response.text());
