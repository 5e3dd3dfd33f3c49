// SPDX-License-Identifier: Apache-2.0

// The engine's modules in Node.js, and the command that they are compared with. ENGINE: where engine.js and api.js are.
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

export const kRoot = join(dirname(fileURLToPath(import.meta.url)), '../..');
const kEngine = resolve(process.env.ENGINE ?? join(kRoot, 'build/wasm'));
const kCommand = resolve(process.env.LOCKKEEPER ?? join(kRoot, 'build/release/lockkeeper'));

// A module of its own for each: memory does not shrink. `name`: "engine", or "api", which has no command.
export async function newEngine(programs, name = 'engine') {
    const make = createRequire(import.meta.url)(join(kEngine, `${name}.js`));
    const told = [];
    const module = await make({
        wasmBinary: readFileSync(join(kEngine, `${name}.wasm`)),
        tell: json => told.push(JSON.parse(json)),
        ...(programs ? {programs} : {}),
    });
    const called = (texts, call) => {
        const given = texts.map(text => {
            const bytes = module.lengthBytesUTF8(text) + 1;
            const at = module._malloc(bytes);
            module.stringToUTF8(text, at, bytes);
            return at;
        });
        try {
            return JSON.parse(module.UTF8ToString(call(...given)));
        } finally {
            given.forEach(at => module._free(at));
        }
    };
    return {
        told,
        answer: (name, body) => called([name, JSON.stringify(body)], (...at) => module._lockkeeper_answer(...at)),
        command: module._lockkeeper_command && (body => called([JSON.stringify(body)], at => module._lockkeeper_command(at))),
    };
}

// The same by the command at home, in the root of the repository. undefined: it takes longer.
export function native(args, seconds = 600) {
    const ended = spawnSync(kCommand, args, {cwd: kRoot, encoding: 'utf8', timeout: seconds * 1000, maxBuffer: 1 << 28, env: {PATH: process.env.PATH}});
    if (ended.error && ended.error.code !== 'ETIMEDOUT') {
        throw ended.error;
    }
    return ended.error ? undefined : {exit_code: ended.status, out: ended.stdout, err: ended.stderr};
}

// What may differ: times, memory, which a size of 32 bits makes smaller, and the commit of the build.
const kMeasured = new Set(['commit', 'seconds', 'bytes_stored', 'states_per_second', 'graph_seconds']);
export const maskedText = json => json.replace(/"(\w+)":\s*("[^"]*"|[^",{}[\]\s]+)/g, (all, name) => kMeasured.has(name) ? `"${name}": 0` : all);
export function masked(value) {
    if (Array.isArray(value)) {
        return value.map(masked);
    }
    if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, kMeasured.has(name) ? 0 : masked(inner)]));
    }
    return value;
}
