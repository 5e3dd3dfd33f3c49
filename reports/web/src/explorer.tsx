// SPDX-License-Identifier: Apache-2.0

// The explorer: a run, what can happen after its selected step, and the ways on from there.
import type {ComponentChildren} from 'preact';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {Branches, type Bookmark} from './explorer_branches';
import {Choices, endWords} from './explorer_choices';
import {EditDialog} from './explorer_edit';
import {FilePicker, SaveMenu} from './explorer_files';
import {GraphPanel} from './explorer_graph';
import {SeenStates, useKept, withBranch, type Branch} from './explorer_keep';
import {scheduleOf, useJourney, type Place} from './explorer_place';
import {RandomRun} from './explorer_random';
import {Search} from './explorer_search';
import {useWatches} from './explorer_watching';
import {Watches} from './explorer_watches';
import {useKeys} from './keys';
import {RunModel} from './run_model';
import {RunView} from './run_view';
import {ask} from './serve_client';
import type {AheadAnswer, ChoicesAnswer, FilesAnswer, OpenFile, RunAnswer} from './serve_data';
import {StatePanel} from './state_panel';
import {ThemeSwitch} from './theme';

interface Walk {
    answer: RunAnswer;
    model: RunModel;
    place: Place; // that it was asked for
}

// `tools`: what the page around it adds to the bar.
export function Explorer({version, out, strategies, files: atFirst, tools}: FilesAnswer & {tools?: (file: OpenFile, place: Place) => ComponentChildren}) {
    const [files, setFiles] = useState(atFirst);
    const journey = useJourney();
    const {place, go, adjust} = journey;
    const [told, setTold] = useState('');
    const fail = (error: unknown) => setTold((error as Error).message);
    const file = files[place.file];
    const start = (opened: OpenFile) => {
        setFiles(known => known[opened.number] ? known : [...known, opened]);
        go({file: opened.number, schedule: opened.schedule, ...(opened.cycle_from === undefined ? {} : {cycle_from: opened.cycle_from})});
    };
    useEffect(() => {
        if (file && place.schedule === '') { // an address without a schedule
            adjust({file: file.number, schedule: file.schedule, ...(file.cycle_from === undefined ? {} : {cycle_from: file.cycle_from})});
        } else if (!file && place.file >= files.length) { // opened from another window
            ask<FilesAnswer>('files').then(answer => {
                setFiles(answer.files);
                setTold(answer.files[place.file] ? '' : `No file ${place.file} is open.`);
            }).catch(fail);
        }
    }, [file, place.schedule]);
    return (
        <>
            <nav class="top"><b>Lockkeeper</b> <span>explorer</span>
                <FilePicker files={files} current={place.file} open={start} loaded={start} fail={fail} />{file && tools?.(file, place)}<span class="spacer" /><ThemeSwitch /></nav>
            <main class="explorer">
                {told !== '' && <p class="warning" role="alert">{told} <button aria-label="Dismiss" onClick={() => setTold('')}>×</button></p>}
                {file && <OpenedFile key={file.number} {...{file, out, strategies, journey, fail, start}} clear={() => setTold('')} />}
            </main>
            <footer>{version}</footer>
        </>
    );
}

interface FileProps {
    file: OpenFile;
    out: string | null;
    strategies: string[];
    journey: ReturnType<typeof useJourney>;
    start: (file: OpenFile) => void;
    fail: (error: unknown) => void;
    clear: () => void;
}

function OpenedFile({file, out, strategies, journey, start, fail, clear}: FileProps) {
    const {place, go, adjust, settle, undo, redo} = journey;
    const [walk, setWalk] = useState<Walk>();
    const [isEditing, setEditing] = useState(false);
    const [branches, setBranches] = useKept<Branch[]>(`branches.${file.number}`, []);
    const [bookmarks, setBookmarks] = useKept<Bookmark[]>(`bookmarks.${file.number}`, []);
    const seen = useRef(new SeenStates());

    useEffect(() => {
        if (place.schedule === '' || (walk && walk.answer.run.schedule === place.schedule && walk.place.cycle_from === place.cycle_from)) {
            return;
        }
        const control = new AbortController();
        const {cycle_from} = place;
        ask<RunAnswer>('run', {file: file.number, schedule: place.schedule, ...(cycle_from === undefined ? {} : {cycle_from})}, control.signal).then(answer => {
            clear();
            withoutPages(answer);
            setWalk({answer, model: new RunModel(answer.run), place});
            setBranches(withBranch(branches, answer));
            // As `replay` writes it; of a schedule that does not fit, what fits.
            settle(place.schedule, answer.run.schedule);
        }).catch((error: unknown) => control.signal.aborted || fail(error));
        return () => control.abort();
    }, [place.schedule, place.cycle_from]);

    if (!walk) {
        return <p class="nothing">…</p>;
    }
    const at = Math.min(place.at ?? walk.model.count, walk.model.count);
    return (
        <>
            <FileHead file={file} edit={() => setEditing(true)} />
            {isEditing && <EditDialog file={file} opened={opened => { setEditing(false); start(opened); }} close={() => setEditing(false)} />}
            <Walking key="walking" {...{file, out, strategies, walk, at, seen: seen.current, branches, bookmarks, setBookmarks, fail}}
                select={step => adjust({...place, at: step})}
                go={next => go({file: file.number, ...next})} {...(undo ? {undo} : {})} {...(redo ? {redo} : {})} />
        </>
    );
}

function FileHead({file, edit}: {file: OpenFile; edit: () => void}) {
    return (
        <header class="file-head">
            <p class="where"><b>{file.system}</b> <span class="scope">{file.scope}</span> <span class="spacer" />{file.outside === undefined ? <button onClick={edit}>change and start again…</button> : <code>{file.outside}</code>}</p>
            {file.about !== '' && <p class="about">{file.about}</p>}
        </header>
    );
}

interface WalkingProps {
    file: OpenFile;
    out: string | null;
    strategies: string[];
    walk: Walk;
    at: number;
    seen: SeenStates;
    branches: Branch[];
    bookmarks: Bookmark[];
    setBookmarks: (bookmarks: Bookmark[]) => void;
    select: (at: number) => void;
    go: (place: Omit<Place, 'file'>) => void;
    undo?: () => void;
    redo?: () => void;
    fail: (error: unknown) => void;
}

function Walking(props: WalkingProps) {
    const {file, walk, at, seen, go, select, undo, redo, fail} = props;
    const {answer, model} = walk;
    const {run, seed, actions} = answer;
    const here = useMemo(() => ({seed, actions: actions.slice(0, at), schedule: scheduleOf(seed, actions.slice(0, at))}), [answer, at]);
    const {choices, ahead} = useNeighbours(file, here.schedule, fail);
    const watching = useWatches(answer, model, at);
    const next = actions[at];
    const take = (action: string) => action === next ? select(at + 1) : go({schedule: scheduleOf(seed, [...here.actions, action])});
    const bookmark = (name: string) => props.setBookmarks([...props.bookmarks, {name, schedule: run.schedule, at, ...(run.cycle_from === undefined ? {} : {cycle_from: run.cycle_from})}]);
    const suggested = at === model.count ? run.title : `step ${at} of ${run.title}`;
    const digits = Object.fromEntries(Array.from({length: 9}, (_, i) => [String(i + 1), () => {
        const choice = choices?.choices[i];
        if (choice) {
            take(choice.step.action);
        }
    }]));
    useKeys({...digits, u: () => undo?.(), r: () => redo?.(), b: () => bookmark(suggested), Backspace: () => select(Math.max(0, at - 1))});
    useEffect(() => { document.title = `${run.title} · ${file.name} · Lockkeeper`; }, [run.title]);
    useEffect(() => seen.add(answer), [answer]); // when its choices have been drawn
    return (
        <>
            <div class="explorer-bar toolbar" role="toolbar" aria-label="The way">
                <span class="group">
                    <button disabled={!undo} onClick={undo} title="u, or the browser’s back">undo</button>
                    <button disabled={!redo} onClick={redo} title="r, or the browser’s forward">redo</button>
                    <button disabled={at === 0} onClick={() => select(at - 1)} title="Backspace">step back</button>
                    <button disabled={actions.length === 0} onClick={() => go({schedule: scheduleOf(seed, [])})}>start again</button>
                    <button disabled={at === actions.length} onClick={() => go({schedule: here.schedule})} title="Leaves out the steps behind the selected one">cut here</button>
                </span>
                <RandomRun place={{file: file.number, schedule: here.schedule}} strategies={props.strategies} go={schedule => go({schedule})} fail={fail} />
                <span class="spacer" />
                <SaveMenu out={props.out} isOutside={file.outside !== undefined} place={{file: file.number, schedule: run.schedule, ...(run.cycle_from === undefined ? {} : {cycle_from: run.cycle_from})}} />
            </div>
            {run.divergences?.map(divergence => <p key={divergence.step} class="warning">The address does not fit this file: step {divergence.step}: {divergence.reason}</p>)}
            <div class="explorer-columns">
                <Choices {...{run, at, next, ahead, seen, take}} answer={choices} path={answer.states} watches={watching.changedBy}
                    jump={found => go({schedule: found.schedule!, ...(found.cycle_from === undefined ? {} : {cycle_from: found.cycle_from})})} />
                <div class="explorer-side">
                    <Search file={file.number} isOutside={file.outside !== undefined} properties={file.properties} here={here.schedule} fail={fail}
                        jump={found => go({schedule: found.schedule, ...(found.cycle_from === undefined ? {} : {cycle_from: found.cycle_from})})} />
                </div>
                <div class="explorer-side">
                    <Watches rows={watching.rows} add={watching.add} remove={watching.remove} />
                    <Branches branches={props.branches} actions={actions} suggested={suggested}
                        openBranch={branch => go({schedule: branch.schedule, ...(branch.cycle_from === undefined ? {} : {cycle_from: branch.cycle_from})})}
                        bookmarks={props.bookmarks} addBookmark={bookmark}
                        openBookmark={({schedule, at: step, cycle_from}) => go({schedule, at: step, ...(cycle_from === undefined ? {} : {cycle_from})})}
                        removeBookmark={index => props.setBookmarks(props.bookmarks.filter((_, i) => i !== index))} />
                </div>
            </div>
            <section class="run-section" aria-label="The run">
                <div class="run-head"><h2>{run.title}</h2>{answer.end && at === model.count && <span class="note">{endWords[answer.end]}</span>}</div>
                {model.count > 0
                    ? <RunView model={model} selected={at} select={select} />
                    : <StatePanel model={model} at={0} />}
                {answer.look && answer.look.length > 0 && at === model.count && <section class="look" aria-label="Fresh clients">
                    <h3>What fresh clients would meet</h3>
                    <ol>{answer.look.map((step, i) => <li key={i}>{step}</li>)}</ol>
                </section>}
            </section>
            {file.outside === undefined && <GraphPanel file={file.number} here={here} seen={seen} fail={fail} go={way => go({schedule: scheduleOf(seed, way)})} />}
        </>
    );
}

// Addresses beside a report lead nowhere here.
function withoutPages({run}: RunAnswer): void {
    for (const shown of [...run.trace, ...run.properties]) {
        delete shown.doc;
    }
}

const kAheadMilliseconds = 150; // whoever steps on at once does not need it

function useNeighbours({number: file, outside}: OpenFile, schedule: string, fail: (error: unknown) => void): {choices: ChoicesAnswer | undefined; ahead: AheadAnswer | undefined} {
    const [choices, setChoices] = useState<{of: string; answer: ChoicesAnswer}>();
    const [ahead, setAhead] = useState<{of: string; answer: AheadAnswer}>();
    useEffect(() => {
        const control = new AbortController();
        const body = {file, schedule};
        const refused = (error: unknown) => { if (!control.signal.aborted) { fail(error); } };
        ask<ChoicesAnswer>('choices', body, control.signal).then(answer => setChoices({of: schedule, answer})).catch(refused);
        const timer = outside === undefined && setTimeout(() =>
            void ask<AheadAnswer>('ahead', body, control.signal).then(answer => setAhead({of: schedule, answer})).catch(refused), kAheadMilliseconds);
        return () => { if (timer !== false) { clearTimeout(timer); } control.abort(); };
    }, [file, schedule]);
    return {
        choices: choices?.of === schedule ? choices.answer : undefined,
        ahead: ahead?.of === schedule ? ahead.answer : undefined,
    };
}
