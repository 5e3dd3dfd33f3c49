// SPDX-License-Identifier: Apache-2.0

// Completion of a scenario by its published schema, which stands beside the page.
import type {Completion, CompletionContext, CompletionResult} from '@codemirror/autocomplete';
import {syntaxTree} from '@codemirror/language';
import type {EditorView} from '@codemirror/view';
import type {SyntaxNode} from '@lezer/common';

import {keysAt, loadedSchema, valuesAt, type Known, type Path} from './schema';

type Text = (node: SyntaxNode) => string;

const kElements = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

function nameOf(property: SyntaxNode, text: Text): string {
    const name = property.getChild('PropertyName');
    try {
        return name ? String(JSON.parse(text(name))) : '';
    } catch {
        return '';
    }
}

// Of the value that the node is, or is in.
function pathOf(node: SyntaxNode, text: Text): Path {
    const path: Path = [];
    for (let at: SyntaxNode | null = node; at; at = at.parent) {
        if (at.name === 'Property') {
            path.unshift(nameOf(at, text));
        } else if (at.parent?.name === 'Array' && kElements.has(at.name)) {
            let index = 0;
            for (let before = at.prevSibling; before; before = before.prevSibling) {
                index += kElements.has(before.name) ? 1 : 0;
            }
            path.unshift(index);
        }
    }
    return path;
}

function namesIn(object: SyntaxNode, text: Text): Set<string> {
    return new Set(object.getChildren('Property').map(property => nameOf(property, text)));
}

// `stub`: what is put in after a key; the cursor goes to the mark.
function put(view: EditorView, text: string, from: number, to: number): void {
    const at = text.indexOf('‸');
    view.dispatch({changes: {from, to, insert: text.replace('‸', '')}, selection: {anchor: from + (at < 0 ? text.length : at)}});
}

// What is typed, a quote first, is compared with the label.
const optionOf = (known: Known, written: string): Completion => ({
    label: written.startsWith('"') ? JSON.stringify(known.name) : known.name, displayLabel: known.name, info: known.about, ...(known.type ? {detail: known.type} : {}),
    apply: (view, _completion, from, to) => put(view, written, from, to),
});

const stubOf = ({name, stub}: Known): string => `${JSON.stringify(name)}: ${stub}`;

export async function schemaCompletion(context: CompletionContext): Promise<CompletionResult | null> {
    const schema = await loadedSchema();
    const whole = context.state.doc.toString();
    const text: Text = node => context.state.sliceDoc(node.from, node.to);
    let node = syntaxTree(context.state).resolveInner(context.pos, -1);
    const isToken = node.name === 'PropertyName' || node.name === 'String';
    const from = isToken ? node.from : context.pos - (context.matchBefore(/[\w-]*$/)?.text.length ?? 0);
    if (!isToken && !context.explicit && from === context.pos && !context.matchBefore(/"$/)) {
        return null;
    }
    while (!['PropertyName', 'Property', 'Object', 'Array', 'String', 'JsonText'].includes(node.name) && node.parent) {
        node = node.parent;
    }
    const isValue = node.name === 'String' || node.name === 'Array' ||
        (node.name === 'Property' && /:\s*[\w"-]*$/.test(context.state.sliceDoc(node.from, context.pos)));
    const to = isToken ? node.to : context.pos;
    const result = (options: Completion[]): CompletionResult | null => options.length > 0 ? {from, to, options, filter: true, validFor: /^"?[\w:-]*"?$/} : null;
    if (isValue) {
        const path = node.name === 'Array' ? [...pathOf(node, text), 0] : pathOf(node, text);
        return result(valuesAt(schema, path, whole).map(known => optionOf(known, known.stub)));
    }
    const object = node.name === 'Object' ? node : node.parent?.name === 'Property' ? node.parent.parent : node.parent;
    if (object?.name !== 'Object') {
        return null;
    }
    const taken = namesIn(object, text);
    const hasValue = /^\s*:/.test(context.state.sliceDoc(to, to + 20)); // only the name is written anew
    return result(keysAt(schema, pathOf(object, text), whole).filter(known => !taken.has(known.name) || isToken)
        .map(known => optionOf(known, hasValue ? JSON.stringify(known.name) : stubOf(known))));
}
