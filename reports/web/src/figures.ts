// SPDX-License-Identifier: Apache-2.0

// Numbers as people read them.
import type {Figure} from './data';

export function shownNumber(value: number | null): string {
    if (value === null) {
        return '∞';
    }
    if (value === 0) {
        return '0';
    }
    const size = Math.abs(value);
    return size >= 1e-3 && size < 1e6 ? value.toLocaleString('en', {maximumSignificantDigits: 4}) : value.toExponential(3);
}

export function shownFigure(figure: Figure | null | undefined): string {
    if (!figure) {
        return '';
    }
    const {value, low, high} = figure;
    const isWide = low !== null && high !== null && value !== null && high - low > 1e-9 * Math.abs(value);
    return isWide ? `${shownNumber(value)} (${shownNumber(low)} to ${shownNumber(high)})` : shownNumber(value);
}

// "17 MB", of 1,048,576 bytes each.
export const shownMegabytes = (bytes: number): string => `${Math.ceil(bytes / (1 << 20)).toLocaleString('en')} MB`;

export function csvField(value: string | number | null): string {
    const text = value === null ? 'inf' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// "1 operation", "2 operations".
export function counted(count: number, one: string, several = `${one}s`): string {
    return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}
