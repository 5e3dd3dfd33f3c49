// SPDX-License-Identifier: Apache-2.0

// A text that somebody writes. A plain field at first; where a page says how (useCodeEditor), an editor of code takes
// its place as soon as it is loaded. Whoever cannot load it keeps the field.
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';

import type {CodeEditor, Kind, Problem} from './code_editor';

interface Props {
    label: string;
    kind: Kind;
    value: string;
    change: (text: string) => void;
    problem?: Problem | undefined; // is shown at its line
    shown?: number; // counts: each time the problem's line is selected
}

type Load = () => Promise<typeof import('./code_editor')>;
let load: Load | undefined;
export const useCodeEditor = (how: Load): void => { load = how; };

export function TextEditor({label, kind, value, change, problem, shown}: Props) {
    const place = useRef<HTMLDivElement>(null);
    const area = useRef<HTMLTextAreaElement>(null);
    const editor = useRef<CodeEditor>();
    const [isReady, setReady] = useState(false);
    const told = useRef<string[]>([]); // by the editor, since the last that came back
    const changed = useRef(change);
    changed.current = change;
    useEffect(() => {
        let isGone = false;
        load?.().then(({CodeEditor}) => {
            if (!isGone) {
                const hadFocus = document.activeElement === area.current;
                editor.current = new CodeEditor(place.current!, {label, kind, text: area.current!.value, changed: text => { told.current.push(text); changed.current(text); }});
                setReady(true);
                if (hadFocus) {
                    editor.current.focus();
                }
            }
        }).catch(() => {}); // the field stays
        return () => { isGone = true; editor.current?.end(); };
    }, []);
    useLayoutEffect(() => {
        // What the editor has told comes back late, when more has been written.
        const own = told.current.indexOf(value);
        told.current.splice(0, own < 0 ? told.current.length : own);
        if (own < 0) {
            editor.current?.setText(value);
        }
    }, [value, isReady]);
    useLayoutEffect(() => editor.current?.setProblem(problem), [problem, isReady]);
    useEffect(() => {
        if (!problem || !shown) {
            return;
        }
        if (editor.current) {
            editor.current.select(problem);
        } else {
            selectIn(area.current!, problem);
        }
    }, [shown]);
    return (
        <>
            <div class="code" ref={place} hidden={!isReady} />
            {!isReady && <textarea ref={area} aria-label={label} aria-invalid={problem !== undefined} spellcheck={false} value={value} onInput={event => change(event.currentTarget.value)} />}
        </>
    );
}

function selectIn(area: HTMLTextAreaElement, {line, column}: Problem): void {
    const lines = area.value.split('\n');
    const begin = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const length = lines[line - 1]?.length ?? 0;
    area.focus();
    area.setSelectionRange(begin + Math.min((column ?? 1) - 1, length), begin + length);
}
