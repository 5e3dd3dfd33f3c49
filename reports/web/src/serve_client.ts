// SPDX-License-Identifier: Apache-2.0

// Requests to `lockkeeper serve`, whose token stands in the address of the page.
import type {ErrorAnswer} from './serve_data';

// What the server refused; `message` is for the reader.
export class Refused extends Error {
    constructor(readonly status: number, readonly answer: ErrorAnswer['error']) {
        super(answer.line === undefined ? answer.message : `${answer.message} (line ${answer.line}, column ${answer.column})`);
    }
}

// "/TOKEN/"
export const kRoot = /^\/[0-9a-f]+\//.exec(location.pathname)?.[0] ?? '/';

export async function ask<Answer>(name: string, body: object = {}, signal?: AbortSignal): Promise<Answer> {
    let response: Response;
    try {
        response = await fetch(`${kRoot}api/${name}`, {
            method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body),
            credentials: 'omit', ...(signal ? {signal} : {}),
        });
    } catch (error) {
        if (signal?.aborted) {
            throw error;
        }
        throw new Refused(0, {message: 'lockkeeper serve does not answer: has it ended?'});
    }
    const answer = await response.json() as Answer | ErrorAnswer;
    if (!response.ok) {
        throw new Refused(response.status, (answer as ErrorAnswer).error);
    }
    return answer as Answer;
}

export const pathOf = (file: number): string => `${kRoot}${file}`;

// The number behind the token; nothing: the first file.
export function fileOfAddress(): number {
    const rest = location.pathname.slice(kRoot.length);
    return /^\d{1,4}$/.test(rest) ? Number(rest) : 0;
}
