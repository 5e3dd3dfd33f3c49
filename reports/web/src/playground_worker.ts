// SPDX-License-Identifier: Apache-2.0

// The worker of the playground: an engine, and whoever asks it by messages. One call after the other; what is new
// while a call runs is told. The page starts it with {module} or {bytes}, and calls with {id, call, name, json}.
import {Engine, type MakeEngine} from './engine';
import type {Programs} from './program_runner';

export interface Start { module?: WebAssembly.Module; bytes?: ArrayBuffer }
// `programs`: the files of the page's own program, by name.
export interface Call { id: number; call: 'answer' | 'command'; name: string; json: string; programs?: Record<string, string> }
export type Told = {ready: true} | {failed: string} | {tell: unknown} | {id: number; result: unknown} | {id: number; wrong: string};

declare const lockkeeper_engine: MakeEngine;
const scope = self as unknown as {postMessage(told: Told): void; onmessage: ((event: MessageEvent) => void) | null};

function answered(engine: Engine, {id, call, name, json, programs: files}: Call, programs?: Programs): void {
    try {
        if (programs) {
            programs.files = files ?? {};
        }
        scope.postMessage({id, result: call === 'answer' ? engine.answer(name, json) : engine.command(json)});
    } catch (error) {
        // The module is in no state to go on: the page starts another worker.
        scope.postMessage({id, wrong: String(error)});
    }
}

export function serveCalls(programs?: Programs): void {
    const fail = (error: unknown) => scope.postMessage({failed: String(error)});
    scope.onmessage = ({data}: MessageEvent<Start>) => {
        scope.onmessage = null;
        lockkeeper_engine({
            tell: json => scope.postMessage({tell: JSON.parse(json) as unknown}),
            ...(programs ? {programs} : {}),
            instantiateWasm: (imports, received) => {
                void (async () => received(await WebAssembly.instantiate(data.module ?? await WebAssembly.compile(data.bytes!), imports)))().catch(fail);
                return {};
            },
        }).then(module => {
            const engine = new Engine(module);
            scope.onmessage = (event: MessageEvent<Call>) => answered(engine, event.data, programs);
            scope.postMessage({ready: true});
        }, fail);
    };
}
