// SPDX-License-Identifier: Apache-2.0

// What can happen next: each choice with what it would change and violate, where it leads, and what
// lies behind it.
import type {Party, Run} from './data';
import type {SeenStates} from './explorer_keep';
import type {Ahead, AheadAnswer, Choice, ChoicesAnswer, StateNames} from './serve_data';
import {valueOf} from './state_panel';

interface Props {
    run: Run;
    at: number;
    path: StateNames[]; // the states of the run
    next: string | undefined; // the action that the run takes here
    answer: ChoicesAnswer | undefined;
    ahead: AheadAnswer | undefined;
    seen: SeenStates;
    take: (action: string) => void;
    jump: (ahead: Ahead) => void;
    watches: (choice: Choice) => {text: string; value: string}[]; // those that it changes
}

export function Choices(props: Props) {
    const {run, at, answer} = props;
    return (
        <section class="choices" aria-label="Choices" aria-busy={answer === undefined}>
            <h2>{at === 0 ? 'What can happen first' : `What can happen after step ${at}`}</h2>
            {answer?.end && <p class={`end ${answer.end === 'finished' ? 'good' : 'open'}`}>{endWords[answer.end]}</p>}
            {answer?.choices.length === 0 && <p class="nothing">Nothing is possible any more.</p>}
            <ol class="choice-list">
                {answer?.choices.map((choice, i) => <ChoiceCard key={choice.step.action} {...props} choice={choice} number={i + 1}
                    party={run.parties[choice.step.party]!} behind={props.ahead?.choices.find(ahead => ahead.action === choice.step.action)} />)}
            </ol>
        </section>
    );
}

export const endWords = {
    'finished': 'Everybody has finished.',
    'stuck': 'Stuck: nobody can take a step, and somebody is unfinished.',
    'time is over': 'Virtual time has come to its end while somebody is unfinished.',
};

interface CardProps extends Props {
    choice: Choice;
    number: number;
    party: Party;
    behind: Ahead | undefined;
}

function ChoiceCard({choice, number, party, behind, next, path, at, seen, take, jump, watches}: CardProps) {
    const {step} = choice;
    const isFault = ['crash', 'fault', 'disturbance', 'resize'].includes(step.kind);
    return (
        <li class={`choice ${step.violates?.length ? 'violating' : ''} ${isFault ? 'faulty' : ''} ${next === step.action ? 'taken' : ''}`} data-action={step.action}>
            <button class="take" onClick={() => take(step.action)} title={`${step.action}${number <= 9 ? `, key ${number}` : ''}`}>
                {number <= 9 && <kbd>{number}</kbd>}
                <b class={`who ${party.kind}`}>{party.name}</b>
                {choice.operation && party.kind === 'caller' && <span class="operation">{choice.operation}</span>}
                <span class="what">{step.label ?? step.text}</span>
                <span class="result">{step.result}</span>
            </button>
            <p class="badges">
                {step.violates?.map(name => <span key={name} class="badge bad">▼ violates {name}</span>)}
                {step.fault && <span class="chip fault">{step.fault}</span>}
                {choice.end && <span class={`badge ${choice.end === 'finished' ? 'good' : 'open'}`}>{choice.end}</span>}
                {next === step.action && <span class="chip">the run takes it</span>}
                <SeenBadge choice={choice} path={path} at={at} seen={seen} />
                <AheadBadge behind={behind} jump={jump} />
            </p>
            <ul class="changes">
                {choice.changes.map(({field, before, after}) => <li key={field.name}><span>{field.name}</span> <b>{valueOf(field, before)}</b> → <b>{valueOf(field, after)}</b></li>)}
                {watches(choice).map(watch => <li key={watch.text} class="watched"><code>{watch.text}</code> → {watch.value}</li>)}
                {choice.changes.length === 0 && <li class="none">nothing that shows</li>}
            </ul>
        </li>
    );
}

function SeenBadge({choice, path, at, seen}: {choice: Choice; path: StateNames[]; at: number; seen: SeenStates}) {
    const {id, kind} = choice.state;
    const before = path.slice(0, at + 1).findIndex(state => state.id === id);
    if (before >= 0) {
        return <span class="chip seen back">↻ {before === at ? 'changes no state' : before === 0 ? 'back to the beginning' : `back to the state after step ${before}`}</span>;
    }
    const where = seen.where(id);
    if (where !== undefined) {
        return <span class="chip seen" title={where}>seen before</span>;
    }
    return seen.hasKind(kind) ? <span class="chip seen">seen, with callers exchanged</span> : null;
}

function AheadBadge({behind, jump}: {behind: Ahead | undefined; jump: (ahead: Ahead) => void}) {
    switch (behind?.ahead) {
        case undefined: return null;
        case 'violation':
            return <button class="badge bad ahead" title="Go there" onClick={() => jump(behind)}>▼ {behind.property} {behind.steps === 1 ? 'here' : `in ${behind.steps} steps`}</button>;
        case 'nothing':
            return <span class="badge good ahead" title="All states behind it were looked at">✓ nothing ahead ({behind.states.toLocaleString('en')} {behind.states === 1 ? 'state' : 'states'})</span>;
        case 'unknown':
            return <span class="chip ahead" title={`${behind.states.toLocaleString('en')} states were looked at`}>none within {behind.depth} steps</span>;
    }
}
