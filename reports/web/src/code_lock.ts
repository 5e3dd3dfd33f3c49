// SPDX-License-Identifier: Apache-2.0

// What a lock in JavaScript asks of its helper (examples/outside/lockkeeper_client.js), with types: for completion, and
// for the words over a name.
import type {Completion, CompletionContext, CompletionResult} from '@codemirror/autocomplete';
import type {EditorView, Tooltip} from '@codemirror/view';

interface Known {
    name: string;
    type: string;
    about: string;
}

const kLock: Known[] = [
    {name: 'read', type: '(key: string) => Promise<value | null>', about: 'What is stored; null: nothing is.'},
    {name: 'write', type: '(key: string, value, {ttl?: ticks}?) => Promise<true>', about: 'Stores it, whatever was there. With ttl it vanishes so many ticks later.'},
    {name: 'insertNew', type: '(key: string, value, {ttl?: ticks}?) => Promise<true | null>', about: 'Stores it where nothing is, as SET NX; null: something was there.'},
    {name: 'cas', type: '(key: string, old | null, new) => Promise<boolean>', about: 'Replaces old (null: nothing) by new in one step; false: something else was there.'},
    {name: 'delete', type: '(key: string, old?) => Promise<true | null>', about: 'Removes it, with old only where that is stored; null: it was not.'},
    {name: 'expire', type: '(key: string, ttl: ticks, old?) => Promise<true | null>', about: 'What is stored vanishes so many ticks from now; null: it was not there.'},
    {name: 'updateCounter', type: '(key: string, add: number, limits?) => Promise<number | null>', about: 'Adds in one step, and gives the sum. {create_if_not_exists: true} begins at 0.'},
    {name: 'atomic', type: '(keys: string[], (state, {now, expire}) => result, {clock?: true}?) => Promise<result>', about: 'One step that reads and changes what is stored under the keys: a transaction, or a script of Redis.'},
    {name: 'waitUntil', type: '(key: string, (value | null) => boolean) => Promise<value | null>', about: 'Waits until the function says yes of what is stored.'},
    {name: 'waitWhile', type: '(key: string, value | null) => Promise<value | null>', about: 'Waits while this is stored; then what is stored instead.'},
    {name: 'now', type: '(what?) => Promise<ticks>', about: 'The caller’s clock.'},
    {name: 'access', type: '(what: string) => Promise', about: 'An effect on what the lock protects.'},
    {name: 'send', type: '(to, message) => Promise', about: 'Into a mailbox.'},
    {name: 'receive', type: '(mailbox) => Promise<message>', about: 'Waits for a message.'},
    {name: 'monitor', type: '(client, mailbox, message) => Promise', about: 'The message comes when that client dies.'},
    {name: 'named', type: '(name: string) => lock', about: 'The same lock; steps asked of it have this name in reports.'},
];
const kWords: Known[] = [
    {name: 'serve', type: '({operations: {acquire, release, renew}, stateless?, durable?, parameters?})', about: 'Runs the operations, each async (lock, {client, key, …}). acquire may return {until: ticks}.'},
    {name: 'refused', type: 'ProtocolError', about: '`throw refused`: full, the caller gets nothing.'},
    {name: 'notHeld', type: 'ProtocolError', about: '`throw notHeld`: not, or not any more, the caller’s.'},
    {name: 'acquire', type: 'async (lock, {client, key, max_per, buckets}) => {until?: ticks}', about: 'Returns when the caller holds.'},
    {name: 'release', type: 'async (lock, {client, key})', about: 'Gives it back.'},
    {name: 'renew', type: 'async (lock, {client, key}) => {until?: ticks}', about: 'Prolongs it.'},
];

const optionOf = ({name, type, about}: Known): Completion => ({label: name, type: 'function', detail: type, info: about});
const kLockOptions = kLock.map(optionOf);
const kWordOptions = kWords.map(optionOf);

export function lockCompletion(context: CompletionContext): CompletionResult | null {
    const method = context.matchBefore(/\block(\.named\([^()]*\))?\.\w*$/);
    if (method) {
        return {from: method.from + method.text.lastIndexOf('.') + 1, options: kLockOptions, validFor: /^\w*$/};
    }
    const word = context.matchBefore(/[A-Za-z_]\w*$/);
    return word || context.explicit ? {from: word?.from ?? context.pos, options: kWordOptions, validFor: /^\w*$/} : null;
}

export function lockHover(view: EditorView, pos: number): Tooltip | null {
    const line = view.state.doc.lineAt(pos);
    for (const found of line.text.matchAll(/(\.?)\b([A-Za-z]\w*)/g)) {
        const from = line.from + found.index + found[1]!.length;
        const to = from + found[2]!.length;
        const known = from <= pos && pos <= to && (found[1] ? kLock : kWords).find(({name}) => name === found[2]);
        if (known) {
            return {pos: from, end: to, above: true, create: () => ({dom: wordsOf(known)})};
        }
    }
    return null;
}

function wordsOf({name, type, about}: Known): HTMLElement {
    const dom = document.createElement('div');
    dom.className = 'code-hover';
    const head = dom.appendChild(document.createElement('code'));
    head.textContent = name + (type.startsWith('(') ? type : `: ${type}`);
    dom.append(document.createElement('br'), about);
    return dom;
}
