// SPDX-License-Identifier: Apache-2.0

// A program's source as it can run inside of a call that does not wait: async functions become generators, which
// program_runner.ts drives, and each `await` a `yield`. Lines stay where they are.
import {parse, type Node} from 'acorn';

type Any = Node & Record<string, unknown>;

const isNode = (value: unknown): value is Any => typeof value === 'object' && value !== null && typeof (value as Any).type === 'string';

function childrenOf(node: Any): Any[] {
    const found: Any[] = [];
    for (const [name, value] of Object.entries(node)) {
        if (name !== 'type') {
            found.push(...(Array.isArray(value) ? value : [value]).filter(isNode));
        }
    }
    // `{a}` has its name twice.
    return found.sort((left, right) => left.start - right.start).filter((child, i, all) => i === 0 || child.start >= all[i - 1]!.end);
}

class Rewriter {
    constructor(private readonly code: string) {}

    // The text of the node from `begin` on, with what its children become.
    text(node: Any, begin = node.start, end = node.end, children = childrenOf(node)): string {
        let text = '';
        let at = begin;
        for (const child of children.filter(child => child.start >= begin && child.end <= end)) {
            text += this.code.slice(at, child.start) + this.rewritten(child);
            at = child.end;
        }
        return text + this.code.slice(at, end);
    }

    private rewritten(node: Any): string {
        if (node.type === 'AwaitExpression') {
            return `(yield ${this.text(node, node.start + 'await'.length)})`;
        }
        if (node.type === 'ForOfStatement' && node['await']) {
            throw this.refused(node, '`for await` needs the command');
        }
        const value = node['value'];
        if ((node.type === 'Property' || node.type === 'MethodDefinition') && isNode(value) && value.type === 'FunctionExpression' && value['async'] && value.start > (node['key'] as Any).start
            && (node['method'] === true || node.type === 'MethodDefinition')) {
            const key = node['key'] as Any;
            return this.code.slice(node.start, key.start).replace('async', '') + this.text(node, key.start, value.start) + this.asynchronous(value, value.start);
        }
        if (node['async'] === true && /Function/.test(node.type)) {
            return this.asynchronous(node, node.start + 'async'.length);
        }
        return this.text(node);
    }

    // Without the word async.
    private asynchronous(node: Any, begin: number): string {
        if (node['generator']) {
            throw this.refused(node, 'async generators need the command');
        }
        const body = node['body'] as Any;
        if (node.type !== 'ArrowFunctionExpression') {
            return `${this.text(node, begin, body.start)}{ return __run(function* () ${this.text(body)}, this, arguments); }`;
        }
        const params = node['params'] as Any[];
        const arrow = this.code.indexOf('=>', params.at(-1)?.end ?? node.start) + '=>'.length;
        const head = this.text(node, begin, arrow);
        const inner = body.type === 'BlockStatement' ? this.text(body) : `{ return (${this.text(node, arrow, node.end, [body])}); }`;
        return `${head} __run(function* () ${inner}, this, [])`;
    }

    private refused(node: Any, message: string): SyntaxError {
        const line = this.code.slice(0, node.start).split('\n').length;
        return new SyntaxError(`${message} (${line}:1)`);
    }
}

// Throws SyntaxError, whose message ends with "(LINE:COLUMN)".
export function withoutAsync(code: string): string {
    const tree = parse(code, {ecmaVersion: 2022, sourceType: 'script', allowHashBang: true, allowReturnOutsideFunction: true}) as unknown as Any;
    return new Rewriter(code).text(tree, 0, code.length).replace(/^#!/, '//');
}
