// SPDX-License-Identifier: Apache-2.0

// Runs the page's own programs for `validate --program "node FILE"`, with as much of Node.js as
// examples/outside/lockkeeper_client.js asks for. Each has a loop of its own, which runs until nothing can go on
// without the next line: so the engine has its answer when it has written a line, and nobody waits. Timers have no
// clock: the next one is due when nothing else can go on. Run in a sandboxed frame only: this keeps nobody out.
import {makePromise} from './program_promise';
import {withoutAsync} from './program_source';

type Task = () => void;
type Listener = (...values: unknown[]) => void;

const kTasksMax = 1_000_000; // of one line

class Exit {}

class Program {
    out = '';
    err = '';
    status = -1; // while it runs
    private readonly soon: Task[] = [];
    private readonly immediates: Task[] = [];
    private timers: {at: number; number: number; task: Task; every?: number}[] = [];
    private count = 0;
    private now = 0;
    private readonly rejected = new Map<object, unknown>();
    private readonly listeners = new Map<string, Listener[]>();
    private readonly modules = new Map<string, {exports: unknown}>();
    private readonly Promise = makePromise({
        soon: task => this.soon.push(task),
        rejected: (promise, reason) => this.rejected.set(promise, reason),
        handled: promise => this.rejected.delete(promise),
    });

    constructor(private readonly files: Record<string, string>, argv: string[]) {
        this.process.argv.push(...argv);
        this.do(() => this.required(argv[0]!));
        this.run();
    }

    write(line: string): void {
        if (line.includes('"level":"black-box"') || line.includes('"level":"tasks"')) {
            this.err += 'needs the command: a page runs the stepped level alone\n';
            this.status = 1;
            return;
        }
        this.do(() => this.emit('line', line));
        this.run();
    }
    read(stream: number): string {
        const text = stream === 1 ? this.out : this.err;
        stream === 1 ? this.out = '' : this.err = '';
        return text;
    }

    private emit(event: string, ...values: unknown[]): boolean {
        const listeners = this.listeners.get(event) ?? [];
        listeners.forEach(listener => listener(...values));
        return listeners.length > 0;
    }
    private do(task: Task): void {
        if (this.status >= 0) {
            return;
        }
        try {
            task();
        } catch (error) {
            if (!(error instanceof Exit)) {
                this.fail('uncaughtException', error);
            }
        }
    }
    private fail(event: string, error: unknown): void {
        try {
            if (!this.emit(event, error)) {
                this.err += this.words(error);
                this.status = 1;
            }
        } catch (again) {
            this.status = this.status < 0 && !(again instanceof Exit) ? 1 : this.status;
        }
    }
    // With file and line in front, as Node.js has them: where the program's own code stood. Each browser writes a stack
    // in its own way, some without the message.
    private words(error: unknown): string {
        if (!(error instanceof Error)) {
            return `${String(error)}\n`;
        }
        const places = [...(error.stack ?? '').matchAll(/([\w.-]+\.js):(\d+)/g)].filter(([, file]) => Object.hasOwn(this.files, file!));
        const place = places.find(([, file]) => file !== 'lockkeeper_client.js') ?? places[0];
        return `${place ? `${place[0]}\n` : ''}${error.name}: ${error.message}\n`;
    }
    private run(): void {
        for (let tasks = 0; this.status < 0; ++tasks) {
            if (tasks > kTasksMax) {
                this.err += 'goes on for ever without an answer\n';
                this.status = 1;
            } else if (this.soon.length > 0) {
                this.do(this.soon.shift()!);
            } else if (this.rejected.size > 0) {
                const reasons = [...this.rejected.values()];
                this.rejected.clear();
                reasons.forEach(reason => reason instanceof Exit || this.fail('unhandledRejection', reason));
            } else if (this.immediates.length > 0) {
                this.do(this.immediates.shift()!);
            } else if (this.out === '' && this.timers.length > 0) {
                this.timers.sort((left, right) => left.at - right.at || left.number - right.number);
                const due = this.timers.shift()!;
                this.now = Math.max(this.now, due.at);
                if (due.every !== undefined) {
                    this.timers.push({...due, at: this.now + Math.max(1, due.every)});
                }
                this.do(due.task);
            } else {
                return;
            }
        }
    }

    // As await does.
    private readonly drive = (body: (...given: unknown[]) => Generator<unknown>, self: unknown, given: Iterable<unknown>) => new this.Promise((resolve, reject) => {
        const steps = body.apply(self, [...given]);
        const go = (how: 'next' | 'throw', value?: unknown) => {
            let step: IteratorResult<unknown>;
            try {
                step = steps[how](value);
            } catch (error) {
                reject(error);
                return;
            }
            if (step.done) {
                resolve(step.value);
            } else {
                this.Promise.resolve(step.value).then((result: unknown) => go('next', result), (error: unknown) => go('throw', error));
            }
        };
        go('next');
    });

    private required(name: string): unknown {
        const own = this.ownModule(name.replace(/^node:/, ''));
        if (own) {
            return own;
        }
        const file = name.replace(/^.*\//, '').replace(/(\.c?js)?$/, extension => extension || '.js');
        const known = this.modules.get(file);
        if (known) {
            return known.exports;
        }
        const text = this.files[file];
        if (text === undefined) {
            throw Object.assign(new Error(`Cannot find module '${name}': a page has only the files that it shows`), {code: 'MODULE_NOT_FOUND'});
        }
        const module = {exports: {}};
        this.modules.set(file, module);
        this.evaluated(file, text)(module);
        return module.exports;
    }
    private evaluated(file: string, text: string): (module: {exports: object}) => void {
        let code: string;
        try {
            code = withoutAsync(text);
        } catch (error) {
            const [, line] = /\((\d+):\d+\)$/.exec((error as Error).message) ?? [];
            const syntax = new SyntaxError((error as Error).message);
            syntax.stack = `${file}:${line ?? 1}\n${syntax.name}: ${syntax.message}`; // as Node.js says it
            throw syntax;
        }
        const surroundings = this.surroundings(file);
        const names = [...Object.keys(surroundings), 'module', 'exports'];
        // On the first line, so that lines are those of the file.
        const made = (0, eval)(`(function (${names.join(',')}) {${code}\n})\n//# sourceURL=${file}`) as (...values: unknown[]) => void;
        return module => made.call(module.exports, ...Object.values(surroundings), module, module.exports);
    }

    private later(task: Listener, milliseconds: unknown, given: unknown[], isAgain: boolean): number {
        const every = Number(milliseconds) > 0 ? Number(milliseconds) : 0;
        this.timers.push({at: this.now + every, number: ++this.count, task: () => task(...given), ...(isAgain ? {every} : {})});
        return this.count;
    }
    private surroundings(file: string): Record<string, unknown> {
        const forget = (number: number) => { this.timers = this.timers.filter(timer => timer.number !== number); };
        const said = (values: unknown[]) => `${values.map(value => typeof value === 'string' ? value : JSON.stringify(value)).join(' ')}\n`;
        const log = (...values: unknown[]) => { this.out += said(values); };
        const complain = (...values: unknown[]) => { this.err += said(values); };
        return {
            __run: this.drive, __filename: file, __dirname: '.', require: (name: string) => this.required(name),
            Promise: this.Promise, process: this.process, Buffer: {byteLength: (text: string) => new TextEncoder().encode(text).length},
            setImmediate: (task: Listener, ...given: unknown[]) => this.immediates.push(() => task(...given)),
            setTimeout: (task: Listener, milliseconds?: unknown, ...given: unknown[]) => this.later(task, milliseconds, given, false),
            setInterval: (task: Listener, milliseconds?: unknown, ...given: unknown[]) => this.later(task, milliseconds, given, true),
            clearTimeout: forget, clearInterval: forget, queueMicrotask: (task: Task) => this.soon.push(task),
            console: {log, info: log, debug: log, error: complain, warn: complain},
        };
    }
    private readonly process = {
        argv: ['node'], env: {}, platform: 'linux', stdin: {}, pid: 1,
        on: (event: string, listener: Listener) => this.listen(event, listener),
        exit: (status = 0) => {
            this.status = status;
            throw new Exit();
        },
        nextTick: (task: Listener, ...given: unknown[]) => this.soon.push(() => task(...given)),
        hrtime: {bigint: () => BigInt(this.now) * 1_000_000n},
    };
    private listen(event: string, listener: Listener): void {
        this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
    }
    private ownModule(name: string): unknown {
        const missing = (what: string) => () => { throw new Error(`needs the command: ${what}`); };
        const written = (stream: number, text: string) => { stream === 1 ? this.out += text : this.err += text; };
        const modules: Record<string, unknown> = {
            fs: {writeSync: written, existsSync: () => false, readFileSync: missing('files'), writeFileSync: missing('files'), renameSync: missing('files')},
            path: {join: (...parts: string[]) => parts.join('/'), basename: (path: string) => path.replace(/^.*\//, '')},
            readline: {createInterface: () => ({on: (event: string, listener: Listener) => this.listen(event, listener)})},
            util: {types: {isPromise: (value: unknown) => value instanceof this.Promise}, inspect: (value: unknown) => String(value)},
            worker_threads: {isMainThread: true, workerData: null, Worker: missing('code that blocks'), MessageChannel: missing('code that blocks')},
        };
        return Object.hasOwn(modules, name) ? modules[name] : undefined;
    }
}

// What child_process.cpp of the module calls.
export class Programs {
    files: Record<string, string> = {};
    private readonly running = new Map<number, Program>();
    private count = 0;

    // "node lock.js --flag": its number; -1: no file of the page.
    start(command: string): number {
        const [first, ...argv] = command.split(/\s+/).filter(word => word !== '');
        const name = argv[0]?.replace(/^.*\//, '');
        if (first !== 'node' || name === undefined || this.files[name] === undefined) {
            return -1;
        }
        this.running.set(++this.count, new Program(this.files, [name, ...argv.slice(1)]));
        return this.count;
    }
    write(id: number, line: string): void {
        this.running.get(id)!.write(line);
    }
    read(id: number, stream: number): string {
        return this.running.get(id)!.read(stream);
    }
    status(id: number): number {
        return this.running.get(id)!.status;
    }
    end(id: number): void {
        this.running.delete(id);
    }
}
