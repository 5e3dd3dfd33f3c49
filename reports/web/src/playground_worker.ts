// SPDX-License-Identifier: Apache-2.0

// The worker of the playground: an engine, and whoever asks it by messages. One call after the other; what is new
// while a call runs is told. `memory`: the bytes of the module's. The page starts it with {module} or {bytes}, and
// calls with {id, call, name, json}.
import {Engine, type MakeEngine} from './engine';
import type {Programs} from './program_runner';

export interface Start { module?: WebAssembly.Module; bytes?: ArrayBuffer }
// `programs`: the files of the page's own program, by name.
export interface Call { id: number; call: 'answer' | 'command'; name: string; json: string; programs?: Record<string, string> }
export type Told = {ready: true} | {failed: string} | {tell: unknown; memory: number} | {id: number; result: unknown; memory: number} | {id: number; wrong: string};

declare const lockkeeper_engine: MakeEngine;
const scope = self as unknown as {postMessage(told: Told): void; onmessage: ((event: MessageEvent) => void) | null};

function answered(engine: Engine, {id, call, name, json, programs: files}: Call, memory: () => number, programs?: Programs): void {
    try {
        if (programs) {
            programs.files = files ?? {};
        }
        const result = call === 'answer' ? engine.answer(name, json) : engine.command(json);
        scope.postMessage({id, result, memory: memory()});
    } catch (error) {
        // The module is in no state to go on: the page starts another worker.
        scope.postMessage({id, wrong: String(error)});
    }
}

export function serveCalls(programs?: Programs): void {
    const fail = (error: unknown) => scope.postMessage({failed: String(error)});
    let memory: WebAssembly.Memory | undefined;
    const bytes = () => memory?.buffer.byteLength ?? 0;
    scope.onmessage = ({data}: MessageEvent<Start>) => {
        scope.onmessage = null;
        lockkeeper_engine({
            tell: json => scope.postMessage({tell: JSON.parse(json) as unknown, memory: bytes()}),
            ...(programs ? {programs} : {}),
            instantiateWasm: (imports, received) => {
                void (async () => {
                    const instance = await WebAssembly.instantiate(data.module ?? await WebAssembly.compile(data.bytes!), imports);
                    memory = Object.values(instance.exports).find(thing => thing instanceof WebAssembly.Memory);
                    received(instance);
                })().catch(fail);
                return {};
            },
        }).then(module => {
            const engine = new Engine(module);
            scope.onmessage = (event: MessageEvent<Call>) => answered(engine, event.data, bytes, programs);
            scope.postMessage({ready: true});
        }, fail);
    };
}
