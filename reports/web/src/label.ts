// SPDX-License-Identifier: Apache-2.0

// The label of a step in its box: one line, or two of smaller letters. Its width depends on the letters that the machine has.
const kPixelsOne = 10.5;
const kPixelsTwo = 9.5;
const kPixelsMin = 14; // no label in less
const kKeptMax = 20_000;

const kept = new Map<string, number>();
let pen: CanvasRenderingContext2D | null | undefined;

export interface Label {
    lines: string[];
    size: number; // of its letters, in pixels
}

// Draws again where letters come later than the page. Returns how to end that.
export function whenLettersCome(draw: () => void): () => void {
    const come = () => { kept.clear(); draw(); };
    document.fonts.addEventListener('loadingdone', come);
    return () => document.fonts.removeEventListener('loadingdone', come);
}

function widthOf(text: string, size: number): number {
    const font = `${size}px ${getComputedStyle(document.documentElement).getPropertyValue('--sans')}`;
    let width = kept.get(font + text);
    if (width === undefined) {
        pen ??= document.createElement('canvas').getContext('2d');
        if (!pen) {
            return text.length * size * 0.6;
        }
        pen.font = font;
        width = pen.measureText(text).width;
        if (kept.size > kKeptMax) {
            kept.clear();
        }
        kept.set(font + text, width);
    }
    return width;
}

const fits = (text: string, pixels: number): boolean => widthOf(text, kPixelsTwo) <= pixels;

// The most letters that fit, with these behind them. Letters are not equally wide: their average width says nothing.
function longest(text: string, pixels: number, behind = ''): string {
    const letters = [...text]; // none is cut in two
    let [least, most] = [0, letters.length];
    while (least < most) {
        const middle = (least + most + 1) >> 1;
        if (fits(letters.slice(0, middle).join('') + behind, pixels)) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    return letters.slice(0, least).join('') + (least > 0 ? behind : '');
}

// The first line ends before a word or behind a "_", where one of these is near, else in the middle of a word.
export function labelIn(text: string, pixels: number): Label {
    if (pixels < kPixelsMin || widthOf(text, kPixelsOne) <= pixels) {
        return {lines: [pixels < kPixelsMin ? '' : text], size: kPixelsOne};
    }
    const ends = [...text.matchAll(/ |_(?=.)/g)].map(({0: mark, index}) => mark === ' ' ? index : index + 1);
    const end = ends.filter(at => fits(text.slice(0, at), pixels)).at(-1);
    const first = end === undefined ? longest(text, pixels) : text.slice(0, end);
    const rest = text.slice(first.length).trimStart();
    return {lines: [first, fits(rest, pixels) ? rest : longest(rest, pixels, '…')], size: kPixelsTwo};
}
