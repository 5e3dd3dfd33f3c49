// SPDX-License-Identifier: Apache-2.0

// The address of the playground: everything stands in the fragment. "#1s/PACKED/SCHEDULE/at=3&cycle=2": a scenario (1:
// the version of the form; s: a scenario, j: a lock in JavaScript), a run of it, a step. "#1j/PACKED//run=2&at=3": step 3
// of the second run of its report. "#1s/PACKED//find=1": the shortest violation is searched first. PACKED: JSON, compressed as
// "deflate-raw", in base64 for addresses. Later versions read what earlier ones wrote.
import type {Addressed} from './serve_client';

export type LinkKind = 's' | 'j';

export interface Linked {
    kind: LinkKind;
    packed: string;
}

const kTextMax = 1 << 20; // of what comes out

export async function pack(value: unknown): Promise<string> {
    const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const letters = Array.from(bytes, byte => String.fromCharCode(byte)).join('');
    return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// Throws where it is cut off, or of another form, or too large.
export async function unpack(packed: string): Promise<unknown> {
    const letters = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += decoder.decode(part.value, {stream: true});
        if (text.length > kTextMax) {
            await reader.cancel();
            throw new Error('the address holds more than 1 MiB');
        }
    }
    return JSON.parse(text + decoder.decode());
}

// What an address has; undefined: nothing, or of another version.
export interface InHash extends Omit<Addressed, 'file'> {
    kind: LinkKind;
    packed: string;
    find?: number; // the shortest violation is searched first
    run?: number; // of the report of a lock, from 1; absent: the first
}

export function inHash(hash: string): InHash | undefined {
    const found = /^#1([sj])\/([\w-]+)(?:\/([^/]*))?(?:\/([^/]*))?$/.exec(hash);
    if (!found) {
        return undefined;
    }
    let schedule = found[3] ?? '';
    try {
        schedule = decodeURIComponent(schedule);
    } catch {
        // as it stands
    }
    const values = new URLSearchParams(found[4] ?? '');
    const number = (name: string) => /^\d{1,9}$/.test(values.get(name) ?? '') ? {[name === 'cycle' ? 'cycle_from' : name]: Number(values.get(name))} : {};
    return {kind: found[1] as LinkKind, packed: found[2]!, schedule, ...number('at'), ...number('cycle'), ...number('run'), ...number('find')};
}

export function hashOf({kind, packed}: Linked, {schedule, at, cycle_from, run}: Omit<InHash, 'kind' | 'packed'>): string {
    const more = [...(run === undefined ? [] : [`run=${run}`]), ...(at === undefined ? [] : [`at=${at}`]), ...(cycle_from === undefined ? [] : [`cycle=${cycle_from}`])].join('&');
    return `#1${kind}/${packed}${schedule === '' && more === '' ? '' : `/${schedule}`}${more === '' ? '' : `/${more}`}`;
}

// A scenario as the address keeps it.
export interface LinkedScenario {
    name: string;
    text: string;
}
export const linkedScenario = async (name: string, text: string): Promise<Linked> => ({kind: 's', packed: await pack([name, text])});

export async function scenarioOf(packed: string): Promise<LinkedScenario> {
    const found = await unpack(packed);
    if (!Array.isArray(found) || typeof found[0] !== 'string' || typeof found[1] !== 'string') {
        throw new Error('the address holds no scenario');
    }
    return {name: found[0], text: found[1]};
}
