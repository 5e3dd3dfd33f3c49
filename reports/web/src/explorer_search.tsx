// SPDX-License-Identifier: Apache-2.0

// The exploration in the background: its progress, and for each property a shortest violation to
// jump to.
import {useEffect, useRef, useState} from 'preact/hooks';

import type {PropertyRow} from './data';
import {shownMegabytes} from './figures';
import type {ExplorationAnswer, ExploreRequest, FoundViolation} from './serve_data';
import {ask} from './serve_client';

interface Props {
    file: number;
    isOutside: boolean;
    properties: PropertyRow[];
    here: string; // the schedule that leads to the selected step
    jump: (violation: FoundViolation) => void;
    fail: (error: unknown) => void;
}

const kPollMilliseconds = 400;
const kNothingDone = (file: number) => ({file, schedule: 'lk1:1:'});

export function Search({file, isOutside, properties, here, jump, fail}: Props) {
    const [answer, setAnswer] = useState<ExplorationAnswer>({phase: 'none'});
    const jumpsTo = useRef<number>(); // the exploration whose first violation is gone to
    const [isFromHere, setFromHere] = useState(false);
    const take = (next: ExplorationAnswer) => {
        setAnswer(next);
        const found = next.violations?.[0];
        if (next.number !== undefined && next.number === jumpsTo.current && (found || next.phase === 'ended')) {
            jumpsTo.current = undefined;
            if (found) {
                jump(found);
            }
        }
    };
    const request = (name: string, body: object = {}) => ask<ExplorationAnswer>(name, body).then(next => { take(next); return next; }).catch(fail);
    const explore = (asked: Omit<ExploreRequest, 'file' | 'schedule'>) =>
        request('explore', {...(isFromHere ? {file, schedule: here} : kNothingDone(file)), ...asked});
    const seek = async (property: string) => {
        const started = await explore({check: [property], stop_at_first: true});
        if (started && started.phase === 'running') {
            jumpsTo.current = started.number;
        } else if (started?.violations?.[0]) {
            jump(started.violations[0]);
        }
    };
    useEffect(() => { void request('exploration'); }, []);
    useEffect(() => {
        if (answer.phase !== 'running') {
            return;
        }
        const timer = setTimeout(() => void request('exploration'), kPollMilliseconds);
        return () => clearTimeout(timer);
    }, [answer]);
    const isOwn = answer.phase !== 'none' && answer.file === file;
    return (
        <section class="search" aria-label="Exploration">
            <h2>Explore</h2>
            <p class="search-buttons">
                <button onClick={() => void explore({check: [], stop_at_first: false})}>{isOutside ? 'explore all schedules' : 'explore all states'}</button>
                {answer.phase === 'running' && <button onClick={() => void request('cancel')}>cancel</button>}
                {!isOutside && <label class="check"><input type="checkbox" checked={isFromHere} onChange={event => setFromHere(event.currentTarget.checked)} /> from the selected step</label>}
            </p>
            {isOwn && <Progress answer={answer} />}
            <h3>Shortest violations</h3>
            <ul class="found">
                {properties.map(property => {
                    const found = isOwn ? answer.violations?.find(violation => violation.property === property.name) : undefined;
                    return (
                        <li key={property.name} data-property={property.name}>
                            <span title={property.definition}>{property.name}</span>{' '}
                            {found
                                ? <button class="badge bad" onClick={() => jump(found)}>▼ in {found.steps} {found.steps === 1 ? 'step' : 'steps'}</button>
                                : <button class="link" aria-label={`shortest violation of ${property.name}`} title="Explores until it is violated, and goes there" onClick={() => void seek(property.name)}>find</button>}{' '}
                            {isOwn && !found && <span class="note">{notFound(answer, property.name)}</span>}
                        </li>
                    );
                })}
            </ul>
            {isOwn && answer.violations?.filter(violation => violation.property === undefined).map(violation => (
                <button key="stuck" class="badge bad" onClick={() => jump(violation)}>stuck after {violation.steps} steps</button>
            ))}
        </section>
    );
}

function notFound(answer: ExplorationAnswer, property: string): string {
    if (answer.check?.length && !answer.check.includes(property)) {
        return '';
    }
    return answer.phase === 'running' ? 'not yet' : answer.complete ? '✓ holds' : answer.verdict === 'violated' ? '' : 'not decided';
}

function Progress({answer}: {answer: ExplorationAnswer}) {
    const most = answer.estimate?.most;
    const isRunning = answer.phase === 'running';
    return (
        <div class="progress" role="status">
            {isRunning && <progress aria-label="Progress" {...(most && answer.states ? {max: 1, value: Math.min(1, answer.states / most)} : {})} />}
            <p>{answer.text}</p>
            {isRunning && answer.memory_bytes ? <p class="note memory">memory {shownMegabytes(answer.memory_bytes)} of at most 4,096 MB{answer.all_memory_bytes ? `, all workers ${shownMegabytes(answer.all_memory_bytes)}` : ''}</p> : null}
            {answer.from_steps ? <p class="note">from step {answer.from_steps} of a run on</p> : null}
            {answer.error && <p class="warning">{answer.error}</p>}
            {!isRunning && answer.verdict && <p><b class={`badge ${answer.verdict === 'passed' ? 'good' : answer.verdict === 'inconclusive' ? 'open' : 'bad'}`}>{answer.verdict}</b>{' '}
                {answer.complete ? `${answer.verdict !== 'violated' && answer.detail ? `${answer.detail}; ` : ''}all ${answer.schedules === undefined ? 'states were seen' : 'schedules were looked at'}` : `ended by: ${answer.limit}`}</p>}
        </div>
    );
}
