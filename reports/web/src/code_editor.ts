// SPDX-License-Identifier: Apache-2.0

// The editor of the playground: CodeMirror with completion by the schema of scenarios, or by the helper of the
// protocol. Loaded when a page with a text is shown, and not before. The tabulator leaves it, as it leaves a field.
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {javascript, javascriptLanguage} from '@codemirror/lang-javascript';
import {json, jsonLanguage} from '@codemirror/lang-json';
import {HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {lintGutter, setDiagnostics} from '@codemirror/lint';
import {EditorState, type Extension} from '@codemirror/state';
import {EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';

import {lockCompletion, lockHover} from './code_lock';
import {schemaCompletion} from './code_schema';

export type Kind = 'scenario' | 'lock';

export interface Problem {
    line: number; // from 1
    column?: number;
    message: string;
}

interface Options {
    label: string;
    kind: Kind;
    text: string;
    changed: (text: string) => void; // by the person who writes
}

const kColours = HighlightStyle.define([
    {tag: [tags.keyword, tags.bool, tags.null], color: 'var(--decisive)'},
    {tag: tags.string, color: 'var(--good)'},
    {tag: tags.number, color: 'var(--violating)'},
    {tag: tags.propertyName, color: 'var(--accent)'},
    {tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic'},
    {tag: tags.invalid, textDecoration: 'underline wavy'},
]);

const languageOf = (kind: Kind): Extension => kind === 'lock'
    ? [javascript(), javascriptLanguage.data.of({autocomplete: lockCompletion}), hoverTooltip(lockHover)]
    : [json(), jsonLanguage.data.of({autocomplete: schemaCompletion})];

export class CodeEditor {
    private readonly view: EditorView;
    private isOwnChange = false;

    constructor(parent: HTMLElement, {label, kind, text, changed}: Options) {
        this.view = new EditorView({
            parent,
            state: EditorState.create({doc: text, extensions: [
                lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
                indentUnit.of('    '), EditorState.tabSize.of(4), EditorView.lineWrapping, lintGutter(), syntaxHighlighting(kColours),
                autocompletion({icons: false}), languageOf(kind),
                keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
                EditorView.contentAttributes.of({'aria-label': label, spellcheck: 'false', autocapitalize: 'off'}),
                EditorView.updateListener.of(update => {
                    if (update.docChanged && !this.isOwnChange) {
                        changed(update.state.doc.toString());
                    }
                }),
            ]}),
        });
    }

    setText(text: string): void {
        const {doc} = this.view.state;
        if (doc.toString() !== text) {
            this.isOwnChange = true;
            this.view.dispatch({changes: {from: 0, to: doc.length, insert: text}});
            this.isOwnChange = false;
        }
    }
    setProblem(problem: Problem | undefined): void {
        this.view.dispatch(setDiagnostics(this.view.state, problem ? [{...this.rangeOf(problem), severity: 'error', message: problem.message}] : []));
        this.view.contentDOM.setAttribute('aria-invalid', String(problem !== undefined));
    }
    select(problem: Problem): void {
        const {from, to} = this.rangeOf(problem);
        this.view.dispatch({selection: {anchor: from, head: to}, effects: EditorView.scrollIntoView(from, {y: 'center'})});
        this.focus();
    }
    focus(): void {
        this.view.focus();
    }
    end(): void {
        this.view.destroy();
    }

    // From its column to the end of the line. A line that is not there is the last.
    private rangeOf({line, column}: Problem): {from: number; to: number} {
        const {doc} = this.view.state;
        const found = doc.line(Math.min(Math.max(1, line), doc.lines));
        return {from: Math.min(found.from + (column ?? 1) - 1, found.to), to: found.to};
    }
}
