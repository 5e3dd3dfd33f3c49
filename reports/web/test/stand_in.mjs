// SPDX-License-Identifier: Apache-2.0

// The playground's pages without its module: what the worker asks is answered by the command at home, `lockkeeper serve`
// for each worker. So the pages are tested where there is no emscripten.
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';

const kEmptyModule = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]);
const kBegin = 'scenarios/canal/findings/leak_two_callers.json'; // serve opens something

// One call after the other, as a module answers.
const workerCode = root => `const own = String(Math.random()).slice(2);
let last = Promise.resolve();
onmessage = ({data}) => { last = last.then(() => taken(data)); };
async function taken({id, call, name, json, programs}) {
    if (id === undefined) { postMessage({ready: true}); return; }
    try {
        const response = await fetch(${JSON.stringify(root)} + 'stand_in/' + call + '/' + name, {method: 'POST', body: JSON.stringify({worker: own, json, programs})});
        postMessage({id, result: await response.json()});
    } catch (error) {
        postMessage({id, wrong: String(error)});
    }
}`;

export class StandIn {
    #workers = new Map(); // the address of each one's server
    #processes = [];

    // `command` runs in `source`, the root of the repository; `pages`: reports/web.
    constructor(command, source, pages) {
        Object.assign(this, {command, source, pages});
        process.on('exit', () => this.end());
    }

    // What stands in the place of a file, or beside those that there are.
    async file(name, root) {
        switch (name) {
            case 'api.wasm': case 'engine.wasm': return kEmptyModule;
            case 'api.js': case 'engine.js': return '';
            case 'names.json': return this.#run(['list', '--format', 'json']).stdout;
            case 'worker.js': case 'own_lock.js': return workerCode(root);
            case 'own_lock.html': return readFileSync(join(this.pages, name), 'utf8').replace(/<meta http-equiv[^>]*>/, '');
            case 'scenario.schema.json': return readFileSync(join(this.source, 'scenarios/schema', name));
            case 'lockkeeper_client.js': return readFileSync(join(this.source, 'examples/outside', name));
            case 'starts.json': return this.#starts();
            default: return undefined;
        }
    }
    // "answer/NAME" or "command/".
    async post(path, body) {
        const [call, name] = path.split('/');
        const {worker, json, programs} = JSON.parse(body);
        return call === 'answer' ? this.#answer(worker, name, json) : this.#command(JSON.parse(json), programs);
    }
    end() {
        this.#processes.forEach(process => process.kill());
    }

    #run(args, cwd = this.source) {
        return spawnSync(this.command, args, {cwd, encoding: 'utf8', maxBuffer: 1 << 28});
    }
    #starts() {
        const code = 'import json, sys; sys.path.insert(0, "wasm"); import playground; print(json.dumps(playground.starts()))';
        return spawnSync('python3', ['-B', '-c', code], {cwd: this.source, encoding: 'utf8'}).stdout;
    }
    #server(worker) {
        if (!this.#workers.has(worker)) {
            const started = spawn(this.command, ['serve', kBegin], {cwd: this.source, stdio: ['ignore', 'pipe', 'inherit']});
            this.#processes.push(started);
            this.#workers.set(worker, new Promise(done => started.stdout.once('data', text => done(String(text).trim()))));
        }
        return this.#workers.get(worker);
    }
    async #answer(worker, name, json) {
        const root = await this.#server(worker);
        const asked = async (name, body) => {
            const response = await fetch(`${root}api/${name}`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
            return {status: response.status, answer: await response.json()};
        };
        let answer = await asked(name, json);
        while (name === 'explore' && answer.status === 200 && answer.answer.phase === 'running') {
            answer = await asked('exploration', '{}');
        }
        return answer;
    }
    #command({arguments: args, files = {}}, programs = {}) {
        const room = mkdtempSync(join(tmpdir(), 'playground-'));
        try {
            for (const [name, text] of Object.entries({...files, ...programs})) {
                mkdirSync(dirname(join(room, name)), {recursive: true});
                writeFileSync(join(room, name), text);
            }
            const ended = this.#run(args, room);
            const page = join(room, 'report.html');
            // As wasm/browser/page_shell.cpp has it: the words, and in the last line the document.
            const made = existsSync(page) && /(<main>[^]*?<\/main>)[^]*?<script[^>]*application\/json[^>]*>([^]*?)<\/script>/.exec(readFileSync(page, 'utf8'));
            return {exit_code: ended.status, out: ended.stdout, err: ended.stderr, files: made ? {'report.html': `${made[1]}\n${made[2].trim()}\n`} : {}};
        } finally {
            rmSync(room, {recursive: true, force: true});
        }
    }
}
