// SPDX-License-Identifier: Apache-2.0

// What the explorer asks, answered in the page: a worker that walks, and another that searches, so that nobody waits
// for a search. The one that searches is started when there is something to search, opens what the other has open, and
// is ended to cancel a search. A third runs a command, and ends with it.
import {EngineWorker, Ended, type CommandAnswer} from './engine_worker';
import {hashOf, inHash, linkedScenario, type Linked} from './playground_link';
import {Refused, type Addressed, type Client} from './serve_client';
import type {ErrorAnswer, ExplorationAnswer, ExploreRequest, OpenFile, ScenarioAnswer} from './serve_data';

type Answer = {status: number; answer: unknown};

const kOpens = ['open', 'edit', 'change'];
const kLookMilliseconds = 60; // a search that ends within has its whole answer at once

const actionsOf = (schedule: string): number => schedule.split(':')[2]?.split(',').filter(action => action !== '').length ?? 0;

export class PlaygroundClient implements Client {
    readonly root = `playground/${performance.timeOrigin}/`; // numbers of files begin anew with each page
    readonly links = new Map<number, Linked>(); // of each file, packed for the address
    private walks?: EngineWorker;
    private searcher?: EngineWorker;
    private commander?: EngineWorker;
    private readonly opened: {name: string; body: object}[] = [];
    private exploration: ExplorationAnswer = {phase: 'none'};

    // A page with a lock in JavaScript alone asks nobody who walks.
    private get walker(): EngineWorker {
        return this.walks ??= new EngineWorker();
    }
    async post(name: string, body: object, signal?: AbortSignal): Promise<Answer> {
        return this.asked(name, body, signal);
    }
    // Opens a scenario or a trace of this name. `link`: what the address has of it.
    async open(name: string, text: string, link?: Linked): Promise<OpenFile> {
        const {status, answer} = await this.asked('open', {name, text}, undefined, link);
        if (status !== 200) {
            throw new Refused(status, (answer as ErrorAnswer).error);
        }
        return answer as OpenFile;
    }
    private async asked(name: string, body: object, signal?: AbortSignal, link?: Linked): Promise<Answer> {
        signal?.throwIfAborted();
        if (name === 'explore') {
            return this.explore(body as ExploreRequest);
        }
        if (name === 'exploration') {
            return {status: 200, answer: this.exploration};
        }
        if (name === 'cancel') {
            this.cancel();
            return {status: 200, answer: this.exploration};
        }
        const answer = await this.walker.answer(name, body);
        signal?.throwIfAborted();
        if (answer.status === 200 && kOpens.includes(name)) {
            this.opened.push({name, body});
            await this.keepLink(answer.answer as OpenFile, link);
            if (this.searcher && this.exploration.phase !== 'running') {
                void this.searcher.answer(name, body).catch(() => {});
            } else {
                this.cancel(); // it opens all that is open when it begins anew
            }
        }
        return answer;
    }
    addressOf(place: Addressed): string {
        const link = this.links.get(place.file);
        return link ? hashOf(link, place) : '#';
    }
    placeOf({hash}: Location): Addressed {
        const {packed, ...place} = inHash(hash) ?? {packed: '', schedule: ''};
        const known = [...this.links].find(([, link]) => link.packed === packed);
        return {...place, file: known?.[0] ?? 0};
    }
    // What stands behind `lockkeeper`: the larger module, in a worker that ends with the answer, for its memory never
    // shrinks. A command that runs is ended; a search goes on. Throws Ended where endCommand() came first.
    async command(body: object, progress?: (words: string) => void): Promise<CommandAnswer> {
        this.endCommand();
        const worker = this.commander = new EngineWorker('engine');
        try {
            return await worker.command(body, undefined, progress);
        } finally {
            worker.end();
            if (this.commander === worker) {
                delete this.commander;
            }
        }
    }
    endCommand(): void {
        this.commander?.end();
        delete this.commander;
    }
    // Bytes, of all workers.
    private get memory(): number {
        return [this.walks, this.searcher, this.commander].reduce((sum, worker) => sum + (worker?.memory ?? 0), 0);
    }
    cancel(): void {
        this.searcher?.end();
        delete this.searcher;
        if (this.exploration.phase === 'running') {
            this.exploration = {...this.exploration, phase: 'ended', verdict: 'inconclusive', complete: false, limit: 'cancelled'};
        }
    }

    private async keepLink(file: OpenFile, link?: Linked): Promise<void> {
        if (link) {
            this.links.set(file.number, link);
        } else if (!this.links.has(file.number)) {
            const {answer} = await this.walker.answer('scenario', {file: file.number});
            this.links.set(file.number, await linkedScenario(file.name, (answer as ScenarioAnswer).text));
        }
    }
    private started(): EngineWorker {
        const worker = new EngineWorker();
        this.opened.forEach(({name, body}) => void worker.answer(name, body).catch(() => {}));
        return worker;
    }
    private async explore(body: ExploreRequest): Promise<Answer> {
        if (this.exploration.phase === 'running') {
            this.cancel();
        }
        const searcher = this.searcher ??= this.started();
        const number = (this.exploration.number ?? 0) + 1;
        this.exploration = {phase: 'running', number, file: body.file, from: body.schedule, from_steps: actionsOf(body.schedule),
            check: body.check, violations: [], states: 0, text: 'begins'};
        searcher.tell = news => {
            const {exploration} = news as {exploration?: ExplorationAnswer};
            if (exploration && this.exploration.number === number) {
                this.exploration = {...exploration, number, memory_bytes: searcher.memory, all_memory_bytes: this.memory};
            }
        };
        const ended = searcher.answer('explore', body).then(answer => {
            if (answer.status === 200 && this.exploration.number === number) {
                this.exploration = {...answer.answer as ExplorationAnswer, number};
            } else if (this.exploration.number === number) {
                this.exploration = {...this.exploration, phase: 'ended', error: (answer.answer as ErrorAnswer).error.message};
            }
            return answer;
        }, (error: Error): Answer => {
            if (error instanceof Ended) { // cancelled
                return {status: 200, answer: this.exploration};
            }
            this.exploration = {...this.exploration, phase: 'ended', error: error.message};
            return {status: 500, answer: {error: {message: error.message}}};
        });
        const soon = new Promise<undefined>(done => setTimeout(done, kLookMilliseconds));
        const answer = await Promise.race([ended, soon]);
        return answer && answer.status !== 200 ? answer : {status: 200, answer: this.exploration};
    }
}
