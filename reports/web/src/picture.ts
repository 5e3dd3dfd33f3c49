// SPDX-License-Identifier: Apache-2.0

// The lanes as a picture: an SVG that stands alone, or the same as PNG.
import lanesStyle from './lanes.css?inline';
import {download} from './copy';

const kVariables = [
    'sans', 'ink', 'ink-2', 'ink-3', 'surface', 'surface-2', 'line', 'accent', 'believed', 'granted', 'protected',
    'violating', 'violating-soft', 'decisive', 'loop', 'step', 'op', 'op-ink', 'area', 'select',
];

export function pictureOf(svg: SVGSVGElement): string {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    const computed = getComputedStyle(document.documentElement);
    const variables = kVariables.map(name => `--${name}:${computed.getPropertyValue(`--${name}`)};`).join('');
    const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    style.textContent = `.lanes{${variables}background:var(--surface)}${lanesStyle}`;
    copy.prepend(style);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('viewBox', `0 0 ${svg.width.baseVal.value} ${svg.height.baseVal.value}`);
    return new XMLSerializer().serializeToString(copy);
}

export function downloadSvg(svg: SVGSVGElement, name: string): void {
    download(`${name}.svg`, new Blob([pictureOf(svg)], {type: 'image/svg+xml'}));
}

export async function downloadPng(svg: SVGSVGElement, name: string): Promise<void> {
    const scale = 2;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureOf(svg))}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = svg.width.baseVal.value * scale;
    canvas.height = svg.height.baseVal.value * scale;
    const context = canvas.getContext('2d')!;
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    const blob = await new Promise<Blob | null>(done => canvas.toBlob(done, 'image/png'));
    if (blob) {
        download(`${name}.png`, blob);
    }
}
