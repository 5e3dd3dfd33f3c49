// SPDX-License-Identifier: Apache-2.0

// Watch expressions: small formulas over what a state shows. They are parsed and walked; nothing of
// them is ever run as script.
//
//   counter("db", 1) - believed("A") > 0 ? "counted too much" : "as it should be"
//
// Names of callers and keys are texts. A key may be left out where there is one.
import jsep from 'jsep';

import type {Field, FieldKind, Party, Value} from './data';

export interface Shown {
    keys: string[];
    parties: Party[];
    values: {field: Field; value: Value}[];
}

type Result = Value | boolean;

export class WatchError extends Error {}

const kOfCaller: Record<string, FieldKind> = {
    believed: 'believed', granted: 'granted', protected: 'protected', references: 'references',
    dead: 'dead', calling: 'calling', finished: 'finished', in_flight: 'in flight',
};
const kOfKey: Record<string, FieldKind> = {capacity: 'capacity', counted: 'counted'};
const kOfState: Record<string, FieldKind> = {time: 'clock', at_rest: 'at rest'};

export const kWatchWords = [...Object.keys(kOfCaller).map(name => `${name}(caller, key)`),
    ...Object.keys(kOfKey).map(name => `${name}(key)`), 'counter(key, place)', 'value("name of a field")', ...Object.keys(kOfState), 'min(…)', 'max(…)', 'abs(x)'];

const kTextMax = 500;

export function parseWatch(text: string): jsep.Expression {
    if (text.length > kTextMax) {
        throw new WatchError(`longer than ${kTextMax} characters`);
    }
    try {
        return jsep(text);
    } catch (error) {
        throw new WatchError((error as Error).message);
    }
}

export function evaluate(expression: jsep.Expression, shown: Shown): Result {
    const node = expression as jsep.CoreExpression;
    const of = (inner: jsep.Expression) => evaluate(inner, shown);
    switch (node.type) {
        case 'Literal':
            return node.value instanceof RegExp ? refuse('no patterns') : node.value as Result;
        case 'Identifier':
            return named(node.name, shown);
        case 'UnaryExpression':
            return unary(node.operator, of(node.argument));
        case 'ConditionalExpression':
            return of(node.test) ? of(node.consequent) : of(node.alternate);
        case 'BinaryExpression':
            if (node.operator === '&&' || node.operator === '||') {
                return node.operator === '&&' ? of(node.left) && of(node.right) : of(node.left) || of(node.right);
            }
            return binary(node.operator, of(node.left), of(node.right));
        case 'CallExpression':
            return node.callee.type === 'Identifier'
                ? call(node.callee.name as string, node.arguments.map(of), shown)
                : refuse('only names are called');
        case 'Compound':
            return refuse(node.body.length === 0 ? 'nothing is written here' : 'one formula, please');
        default:
            return refuse(`${node.type} is not known here`);
    }
}

function refuse(message: string): never {
    throw new WatchError(message);
}

function named(name: string, shown: Shown): Result {
    const kind = Object.hasOwn(kOfState, name) ? kOfState[name] : undefined;
    if (name === 'null') {
        return null;
    }
    return kind === undefined ? refuse(`unknown name ${name}`) : valueOf(shown, kind);
}

function unary(operator: string, value: Result): Result {
    switch (operator) {
        case '!': return !value;
        case '-': return value === null ? null : -Number(value);
        case '+': return value === null ? null : Number(value);
        default: return refuse(`unknown operator ${operator}`);
    }
}

function binary(operator: string, left: Result, right: Result): Result {
    switch (operator) {
        case '==': case '===': return same(left, right);
        case '!=': case '!==': return !same(left, right);
    }
    if (left === null || right === null) {
        return null; // nobody knows
    }
    const [a, b] = [Number(left), Number(right)];
    switch (operator) {
        case '+': return typeof left === 'string' || typeof right === 'string' ? `${left}${right}` : a + b;
        case '-': return a - b;
        case '*': return a * b;
        case '/': return b === 0 ? null : a / b;
        case '%': return b === 0 ? null : a % b;
        case '<': return a < b;
        case '>': return a > b;
        case '<=': return a <= b;
        case '>=': return a >= b;
        default: return refuse(`unknown operator ${operator}`);
    }
}

// 1 and true are what a state shows of the same thing.
const same = (left: Result, right: Result): boolean => left === right ||
    (left !== null && right !== null && typeof left !== 'string' && typeof right !== 'string' && Number(left) === Number(right));

function call(name: string, given: Result[], shown: Shown): Result {
    const numbers = () => given.map(Number);
    switch (name) {
        case 'min': return Math.min(...numbers());
        case 'max': return Math.max(...numbers());
        case 'abs': return Math.abs(Number(given[0]));
        case 'value': return byName(shown, String(given[0]));
        case 'counter': {
            const isShort = typeof given[0] === 'number';
            return valueOf(shown, 'counter', {key: keyOf(shown, isShort ? undefined : given[0]), place: Number(isShort ? given[0] : given[1] ?? 1)});
        }
    }
    if (Object.hasOwn(kOfKey, name)) {
        return valueOf(shown, kOfKey[name]!, {key: keyOf(shown, given[0])});
    }
    if (!Object.hasOwn(kOfCaller, name)) {
        return refuse(`unknown name ${name}`);
    }
    const kind = kOfCaller[name]!;
    const party = shown.parties.findIndex(candidate => candidate.name === given[0]);
    const hasKey = ['believed', 'granted', 'protected', 'references'].includes(kind);
    if (party < 0) {
        refuse(`no caller is called ${String(given[0])}`);
    }
    return valueOf(shown, kind, {party, ...(hasKey ? {key: keyOf(shown, given[1])} : {})});
}

function keyOf(shown: Shown, name: Result | undefined): number {
    if (name === undefined && shown.keys.length === 1) {
        return 0;
    }
    const key = shown.keys.findIndex(candidate => candidate === name);
    return key < 0 ? refuse(name === undefined ? 'which key?' : `no key is called ${String(name)}`) : key;
}

function valueOf(shown: Shown, kind: FieldKind, where: Partial<Field> = {}): Value {
    const found = shown.values.find(({field}) => field.kind === kind &&
        Object.entries(where).every(([name, wanted]) => field[name as keyof Field] === wanted));
    return found ? found.value : refuse('this system does not show it');
}

function byName(shown: Shown, name: string): Value {
    const found = shown.values.find(({field}) => field.name === name);
    return found ? found.value : refuse(`no field is called ${name}`);
}

export const watchText = (value: Result): string => value === null ? 'not known' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
