// SPDX-License-Identifier: Apache-2.0

// The page: the summary, then whatever the report has.
import {useEffect, useMemo, useState} from 'preact/hooks';

import {Comparison} from './comparison';
import type {FileRow, HistoryDocument, MeasureDocument, ResultDocument, Run} from './data';
import {FileTable} from './file_table';
import {HistoryView} from './history_view';
import {hashOf, placeOf, type Place} from './link';
import {MeasureView} from './measure_view';
import {Proofs} from './proof_view';
import {historyIn, shownIn, type Page} from './read';
import {RunModel} from './run_model';
import {RunView} from './run_view';
import {Written} from './summary';
import {ThemeSwitch} from './theme';

// Where a run is first looked at: where it goes wrong.
function firstLook(model: RunModel): number {
    return model.violating[0] ?? model.count;
}

// `at`, `moved`: where a page around it begins, and learns of each step that is selected; else the address says both.
interface Around {
    at?: Place;
    moved?: (place: Place) => void;
}

export function App({page, at, moved}: {page: Page} & Around) {
    const {document} = page;
    const shown = useMemo(() => shownIn(document), [document]);
    const history = useMemo(() => 'history_version' in document ? historyIn(document as HistoryDocument) : undefined, [document]);
    return (
        <>
            {!moved && <nav class="top"><b>Lockkeeper</b> <span>{document.command}</span><span class="spacer" /><ThemeSwitch /></nav>}
            <main>
                <Written html={page.head} />
                <Runs {...shown} {...(at ? {at} : {})} {...(moved ? {moved} : {})} />
                {'result_version' in document && <Proofs files={(document as ResultDocument).files} />}
                {'measure_version' in document && <MeasureView files={(document as MeasureDocument).files} />}
                {history && <HistoryView history={history} />}
                {page.text && <Written html={page.text} />}
            </main>
            {!moved && document.version && <footer>Lockkeeper {document.version} ({document.commit})</footer>}
        </>
    );
}

function Runs({files, runs, at, moved}: {files: FileRow[]; runs: Run[]} & Around) {
    const begin = at ?? placeOf(location.hash);
    const keep = moved ?? ((place: Place) => history.replaceState(null, '', hashOf(place)));
    const [index, setIndex] = useState(begin.run !== undefined && begin.run < runs.length ? begin.run : files.length > 0 && begin.run === undefined ? -1 : 0);
    const [step, setStep] = useState(begin.step ?? -1);
    const [beside, setBeside] = useState(-1);
    const model = useMemo(() => runs[index] && new RunModel(runs[index]), [index]);
    useEffect(() => {
        const follow = () => {
            const place = placeOf(location.hash);
            if (place.run !== undefined && place.run < runs.length) {
                setIndex(place.run);
                setStep(place.step ?? -1);
            }
        };
        addEventListener('hashchange', follow);
        return () => removeEventListener('hashchange', follow);
    }, []);
    const selected = model ? (step < 0 ? firstLook(model) : Math.min(step, model.count)) : 0;
    const select = (at: number) => {
        setStep(at);
        keep({run: index, step: at});
    };
    const open = (run: number) => {
        setIndex(run);
        setStep(-1);
        setBeside(-1);
        keep({run, step: firstLook(new RunModel(runs[run]!))});
        setTimeout(() => document.getElementById('run')?.scrollIntoView());
    };
    return (
        <>
            {files.length > 0 && <FileTable files={files} runs={runs} open={open} opened={index} />}
            {model && (
                <section id="run" class="run-section" aria-label="The run">
                    <div class="run-head">
                        {runs.length > 1
                            ? <label>run <select aria-label="Run" value={index} onChange={event => open(Number(event.currentTarget.value))}>
                                {runs.map((run, i) => <option key={i} value={i}>{`${i + 1}. ${run.title} · ${run.file}`}</option>)}
                            </select></label>
                            : <h2>{model.run.title}</h2>}
                        <span class="spacer" />
                        {model.run.nearest && <button aria-pressed={beside === model.run.nearest.run}
                            onClick={() => setBeside(beside < 0 ? model.run.nearest!.run : -1)}>beside the nearest run that passes</button>}
                        {runs.some((_, i) => i !== index && i !== model.run.nearest?.run) && <label class="beside">beside <select aria-label="Beside" value={beside} onChange={event => setBeside(Number(event.currentTarget.value))}>
                            <option value={-1}>nothing</option>
                            {runs.map((run, i) => i === index ? null : <option key={i} value={i}>{`${i + 1}. ${run.title}`}</option>)}
                        </select></label>}
                    </div>
                    {model.run.divergences?.map(divergence => <p key={divergence.step} class="warning">diverges at step {divergence.step}: {divergence.reason}</p>)}
                    {beside >= 0 && runs[beside]
                        ? <Comparison left={model} right={runs[beside]!} selected={selected} select={select} />
                        : <RunView key={index} model={model} selected={selected} select={select} />}
                </section>
            )}
        </>
    );
}
