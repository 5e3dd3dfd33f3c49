// SPDX-License-Identifier: Apache-2.0

// What the playground adds to the explorer: the link to the place, the command for it, and the page of results.
import {useEffect, useState} from 'preact/hooks';

import {copyText, markdown} from './copy';
import {Ended} from './engine_worker';
import type {Place} from './explorer_place';
import type {PlaygroundClient} from './playground_client';
import {ReportDialog} from './playground_report_view';
import {ask} from './serve_client';
import type {OpenFile, RunAnswer, ScenarioAnswer} from './serve_data';
import {plainName, replayCommand} from './shell_text';

interface Props {
    client: PlaygroundClient;
    file: OpenFile;
    place: Place;
    start: () => void;
}

export function PlaceTools({client, file, place, start}: Props) {
    const [told, setTold] = useState('');
    const [page, setPage] = useState('');
    const [isMaking, setMaking] = useState(false);
    const copy = async (what: string, text: string) => setTold(await copyText(text) ? `${what} is copied` : `${what} cannot be copied`);
    const command = async () => {
        const {text} = await ask<ScenarioAnswer>('scenario', {file: file.number});
        await copy('the command', replayCommand(file.name, text, place.schedule, place.cycle_from));
    };
    const diagram = async () => {
        const {schedule, cycle_from} = place;
        try {
            const {run} = await ask<RunAnswer>('run', {file: file.number, schedule, ...(cycle_from === undefined ? {} : {cycle_from})});
            await copy('the Markdown', markdown(run, location.href));
        } catch (error) {
            setTold((error as Error).message);
        }
    };
    const report = async (verb: 'explore' | 'prove') => {
        setTold('the report is made…');
        setMaking(true);
        try {
            const {text} = await ask<ScenarioAnswer>('scenario', {file: file.number});
            const name = plainName(file.name);
            const answer = await client.command({arguments: [verb, name, '--report', 'report.html'], files: {[name]: text}}, setTold);
            const made = answer.files['report.html'];
            setTold(made === undefined ? answer.err : '');
            setPage(made ?? '');
        } catch (error) {
            setTold(error instanceof Ended ? 'cancelled' : (error as Error).message);
        }
        setMaking(false);
    };
    useEffect(() => () => client.endCommand(), [file.number]);
    return (
        <span class="group place-tools">
            <button onClick={start}>start</button>
            <button onClick={() => void copy('the link', location.href)}>copy link</button>
            <button disabled={!/:.*:./.test(place.schedule)} onClick={() => void diagram()} title="A collapsed diagram and the link, for an issue or a review">copy as Markdown</button>
            <button onClick={() => void command()} title="What to type at home for the same">copy as command</button>
            {isMaking ? <button onClick={() => client.endCommand()} aria-label="cancel the report">cancel</button>
                : <button onClick={() => void report('explore')} title="All interleavings, as the page that the command writes">report</button>}
            {!isMaking && <button onClick={() => void report('prove')} title="For every number of callers, as the page that the command writes">prove</button>}
            <span role="status" class="told">{told}</span>
            {page !== '' && <ReportDialog page={page} close={() => setPage('')} />}
        </span>
    );
}
