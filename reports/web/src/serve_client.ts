// SPDX-License-Identifier: Apache-2.0

// Requests of the explorer, and the addresses of its places. By default both are those of `lockkeeper
// serve`, whose token stands in the address of the page; the playground brings its own (playground_client.ts).
import type {ErrorAnswer} from './serve_data';

// What the server refused; `message` is for the reader.
export class Refused extends Error {
    constructor(readonly status: number, readonly answer: ErrorAnswer['error']) {
        super(answer.line === undefined ? answer.message : `${answer.message} (line ${answer.line}, column ${answer.column})`);
    }
}

// A place as the address has it; what is absent stands in the browser's history.
export interface Addressed {
    file: number;
    schedule: string;
    at?: number;
    cycle_from?: number;
}

export interface Client {
    root: string; // begins the names of what the browser keeps
    // Rejects where nobody answers, or `signal` says so.
    post(name: string, body: object, signal?: AbortSignal): Promise<{status: number; answer: unknown}>;
    addressOf(place: Addressed): string;
    placeOf(address: Location): Addressed;
}

// "/TOKEN/"
const kToken = /^\/[0-9a-f]+\//.exec(location.pathname)?.[0] ?? '/';

const scheduleIn = (hash: string): string => {
    try {
        return decodeURIComponent(hash.slice(1));
    } catch {
        return hash.slice(1);
    }
};

const kServer: Client = {
    root: kToken,
    async post(name, body, signal) {
        let response: Response;
        try {
            response = await fetch(`${kToken}api/${name}`, {
                method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body),
                credentials: 'omit', ...(signal ? {signal} : {}),
            });
        } catch (error) {
            if (signal?.aborted) {
                throw error;
            }
            throw new Refused(0, {message: 'lockkeeper serve does not answer: has it ended?'});
        }
        return {status: response.status, answer: await response.json()};
    },
    addressOf: ({file, schedule}) => `${kToken}${file}#${schedule}`,
    // The number behind the token; nothing: the first file.
    placeOf({pathname, hash}) {
        const rest = pathname.slice(kToken.length);
        return {file: /^\d{1,4}$/.test(rest) ? Number(rest) : 0, schedule: scheduleIn(hash)};
    },
};

let client = kServer;
// Before the explorer is drawn.
export function useClient(other: Client): void {
    client = other;
}

export const rootOfNames = (): string => client.root;
export const addressOf = (place: Addressed): string => client.addressOf(place);
export const placeInAddress = (): Addressed => client.placeOf(location);

export async function ask<Answer>(name: string, body: object = {}, signal?: AbortSignal): Promise<Answer> {
    const {status, answer} = await client.post(name, body, signal);
    if (status !== 200) {
        throw new Refused(status, (answer as ErrorAnswer).error);
    }
    return answer as Answer;
}
