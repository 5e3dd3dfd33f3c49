// SPDX-License-Identifier: Apache-2.0

// The page's side of a worker with an engine. Calls are answered one after the other. A call that takes too long is
// ended by end(), with the worker: whoever waits for it learns that.
import {shownMegabytes} from './figures';
import type {Told} from './playground_worker';

export class Ended extends Error {
    constructor() {
        super('ended');
    }
}

interface Waiting {
    done: (result: unknown) => void;
    failed: (error: Error) => void;
}

// A module is compiled once for all workers: "api" answers the explorer; "engine", which is larger, is the command, too.
export type ModuleName = 'api' | 'engine';
const compiled = new Map<ModuleName, Promise<WebAssembly.Module>>();
export function compiledModule(name: ModuleName): Promise<WebAssembly.Module> {
    const known = compiled.get(name) ?? (async () => {
        const response = await fetch(`${name}.wasm`);
        if (!response.ok) {
            throw new Error(`${name}.wasm: ${response.status}`);
        }
        // Where the server says another type than application/wasm.
        return WebAssembly.compileStreaming(response.clone()).catch(async () => WebAssembly.compile(await response.arrayBuffer()));
    })();
    compiled.set(name, known);
    return known;
}

// Where the engine runs: a worker of the page, or the sandboxed frame of own_lock.html.
export interface Place {
    post(message: unknown): void;
    end(): void;
}
export type MakePlace = (told: (data: Told) => void, failed: (error: Error) => void) => Place;

const inWorker = (name: ModuleName): MakePlace => (told, failed) => {
    const worker = new Worker('worker.js', {name});
    worker.onerror = event => failed(new Error(event.message || 'worker.js cannot be loaded'));
    worker.onmessage = ({data}: MessageEvent<Told>) => told(data);
    compiledModule(name).then(module => worker.postMessage({module}), failed);
    return {post: message => worker.postMessage(message), end: () => worker.terminate()};
};

export class EngineWorker {
    tell: (news: unknown) => void = () => {};
    memory = 0; // bytes, when it was last heard of
    private readonly place: Place;
    private readonly waiting = new Map<number, Waiting>();
    private readonly ready: Promise<void>;
    private count = 0;
    private isEnded = false;

    constructor(where: ModuleName | MakePlace = 'api') {
        const make = typeof where === 'string' ? inWorker(where) : where;
        let place: Place | undefined;
        this.ready = new Promise((done, failed) => {
            const broken = (error: Error) => { failed(error); this.break(error); };
            place = make(data => {
                if ('ready' in data) {
                    done();
                } else if ('failed' in data) {
                    broken(new Error(data.failed));
                } else {
                    this.take(data);
                }
            }, broken);
        });
        this.place = place!;
        this.ready.catch(() => {});
    }

    get isBusy(): boolean {
        return this.waiting.size > 0;
    }

    async answer(name: string, body: object): Promise<{status: number; answer: unknown}> {
        return await this.called('answer', name, body) as {status: number; answer: unknown};
    }
    // `programs`: the files of the reader's own lock; only the sandboxed frame runs them.
    // `progress` is told each line that it writes on stderr, and the memory by then.
    async command(body: object, programs?: Record<string, string>, progress: (words: string) => void = () => {}): Promise<CommandAnswer> {
        this.tell = news => {
            const line = (news as {err?: string}).err?.trimEnd().split('\n').at(-1);
            if (line) {
                progress(`${line}; memory ${shownMegabytes(this.memory)}`);
            }
        };
        return await this.called('command', '', body, programs) as CommandAnswer;
    }
    end(): void {
        this.break(new Ended());
    }

    private async called(call: 'answer' | 'command', name: string, body: object, programs?: Record<string, string>): Promise<unknown> {
        const id = ++this.count;
        const result = new Promise<unknown>((done, failed) => this.waiting.set(id, {done, failed}));
        result.catch(() => {});
        await this.ready;
        if (!this.isEnded) {
            this.place.post({id, call, name, json: JSON.stringify(body), ...(programs ? {programs} : {})});
        }
        return result;
    }
    private take(data: Exclude<Told, {ready: true} | {failed: string}>): void {
        if ('memory' in data) {
            this.memory = data.memory;
        }
        if ('tell' in data) {
            this.tell(data.tell);
            return;
        }
        const waiting = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        if ('wrong' in data) {
            waiting?.failed(new Error(`internal error: ${data.wrong}`));
            this.break(new Ended());
        } else {
            waiting?.done(data.result);
        }
    }
    private break(error: Error): void {
        this.isEnded = true;
        this.place?.end();
        this.waiting.forEach(({failed}) => failed(error));
        this.waiting.clear();
    }
}

// As wasm/engine/engine.hpp says.
export interface CommandAnswer {
    exit_code: number;
    out: string;
    err: string;
    files: Record<string, string>;
}
