// SPDX-License-Identifier: Apache-2.0

// The address names what is shown: #v=1&s=11 is step 11 of the first run.
export interface Place {
    run: number; // from 0
    step: number;
}

export function placeOf(hash: string): {run?: number; step?: number} {
    const values = new URLSearchParams(hash.replace(/^#/, ''));
    const number = (name: string) => {
        const text = values.get(name);
        return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
    };
    const v = number('v');
    return {run: v === undefined || v < 1 ? undefined : v - 1, step: number('s')};
}

export function hashOf(place: Place): string {
    return `#v=${place.run + 1}&s=${place.step}`;
}

// Of documentation: nothing but web addresses and paths beside the page.
export function safeAddress(text: string | undefined): string | undefined {
    return text !== undefined && /^(https?:\/\/|[\w-][\w./#-]*$)/.test(text) ? text : undefined;
}
