// SPDX-License-Identifier: Apache-2.0

// The worker around the engine (wasm/engine/engine.hpp): one call after the other, each answered by its number; what
// is new while a call runs is told. Runs in a page's worker, and in Node.js (wasm/test).
import type {Programs} from './program_runner';

interface Module {
    _malloc(bytes: number): number;
    _free(at: number): void;
    _lockkeeper_answer(name: number, json: number): number;
    _lockkeeper_command(json: number): number;
    UTF8ToString(at: number): string;
    stringToUTF8(text: string, at: number, bytes: number): void;
    lengthBytesUTF8(text: string): number;
}

export interface EngineOptions {
    tell: (json: string) => void;
    programs?: Programs; // absent: it runs none
    instantiateWasm?: (imports: WebAssembly.Imports, received: (instance: WebAssembly.Instance) => void) => object;
    wasmBinary?: ArrayBuffer;
}
export type MakeEngine = (options: EngineOptions) => Promise<Module>;

export class Engine {
    constructor(private readonly module: Module) {}

    // As `lockkeeper serve` answers a request of this name.
    answer(name: string, json: string): {status: number; answer: unknown} {
        return JSON.parse(this.called([name, json], (at, json) => this.module._lockkeeper_answer(at!, json!))) as {status: number; answer: unknown};
    }
    command(json: string): unknown {
        return JSON.parse(this.called([json], at => this.module._lockkeeper_command(at!)));
    }

    // The stack is too small for texts.
    private called(texts: string[], call: (...at: number[]) => number): string {
        const {module} = this;
        const given = texts.map(text => {
            const bytes = module.lengthBytesUTF8(text) + 1;
            const at = module._malloc(bytes);
            if (at === 0) {
                throw new Error('the memory is full');
            }
            module.stringToUTF8(text, at, bytes);
            return at;
        });
        try {
            return module.UTF8ToString(call(...given));
        } finally {
            given.forEach(at => module._free(at));
        }
    }
}
