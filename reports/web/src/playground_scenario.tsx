// SPDX-License-Identifier: Apache-2.0

// A scenario of the reader's own: as JSON with completion and mistakes at their line, and as a form beside it. The
// engine reads along; both show the same text.
import {useEffect, useRef, useState} from 'preact/hooks';

import type {Problem} from './code_editor';
import {loadedSchema} from './schema';
import {systemOf} from './schema_names';
import {ScenarioForm, documentOf, type Change, type Document} from './scenario_form';
import {Refused, ask} from './serve_client';
import type {ReadRequest, ScenarioAnswer} from './serve_data';
import {TextEditor} from './text_editor';

const kBegin = `{
    "version": 1,
    "about": "Two callers share one place.",
    "system": "single_counter",
    "check": "safety",
    "callers": [
        {
            "name": "A",
            "count": 2,
            "script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]
        }
    ]
}
`;
const kTypingMilliseconds = 350;
const kName = 'scenario.json';

const problemOf = (error: unknown): Problem | undefined => error instanceof Refused && error.answer.line !== undefined
    ? {line: error.answer.line, message: error.message, ...(error.answer.column === undefined ? {} : {column: error.answer.column})} : undefined;

export function OwnScenario({search, begin = kBegin}: {search: (name: string, text: string) => Promise<void>; begin?: string}) {
    const [text, setText] = useState(begin);
    const [shown, setShown] = useState(0);
    const {scenario, problem, why, fail, read} = useReading(text);
    const now = useRef(text);
    now.current = text;
    const calls = useCalls(text);
    const submit = async (event: Event) => {
        event.preventDefault();
        try {
            await search(kName, text);
        } catch (error) {
            fail(error);
            setShown(shown + 1);
        }
    };
    // Numbers and checks are written into the text by the engine; again where it was changed meanwhile.
    const set = async (numbers: Record<string, number>, check: (document: Document) => string[]) => {
        try {
            for (;;) {
                const before = now.current;
                const {text: after} = await read(before, numbers, check(documentOf(before, scenario!.text)));
                if (before === now.current) {
                    setText(after);
                    return;
                }
            }
        } catch (error) {
            fail(error);
        }
    };
    const rewrite = (change: Change) => setText(before => `${JSON.stringify(change(documentOf(before, scenario!.text)), null, 4)}\n`);
    return (
        <form class="own-scenario" onSubmit={event => void submit(event)}>
            <h2>Your own scenario</h2>
            <div class="own-scenario-parts">
                <div>
                    <TextEditor label="Scenario" kind="scenario" value={text} change={setText} problem={problem} shown={shown} />
                    {why !== '' && <p class="warning" role="alert">{why}</p>}
                </div>
                {scenario && <ScenarioForm text={text} scenario={scenario} calls={calls} set={(numbers, check) => void set(numbers, check)} rewrite={rewrite} />}
            </div>
            <p class="search-buttons"><button class="race">search it</button></p>
        </form>
    );
}

// What the engine says of the text, a moment after it was changed.
function useReading(text: string) {
    const [scenario, setScenario] = useState<ScenarioAnswer>();
    const [error, setError] = useState<unknown>();
    const last = useRef('');
    const read = (text: string, numbers: Record<string, number>, check: string[]) => ask<ScenarioAnswer>('read', {name: kName, text, numbers, check} satisfies ReadRequest);
    useEffect(() => {
        last.current = text;
        const timer = setTimeout(() => {
            const isLast = () => last.current === text;
            read(text, {}, []).then(answer => { if (isLast()) { setScenario(answer); setError(undefined); } },
                (wrong: unknown) => { if (isLast()) { setError(wrong); } });
        }, kTypingMilliseconds);
        return () => clearTimeout(timer);
    }, [text]);
    return {scenario, problem: problemOf(error), why: error === undefined ? '' : (error as Error).message, fail: setError, read};
}

function useCalls(text: string): string[] {
    const [calls, setCalls] = useState<string[]>([]);
    const system = /"system"\s*:\s*"([^"]*)"/.exec(text)?.[1];
    useEffect(() => {
        loadedSchema().then(({names}) => setCalls(['acquire', 'release', ...(systemOf(names, text)?.vocabulary.calls ?? []).map(({name}) => name)])).catch(() => {});
    }, [system]);
    return [...new Set(calls)];
}
