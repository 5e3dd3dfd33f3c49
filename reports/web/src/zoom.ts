// SPDX-License-Identifier: Apache-2.0

// Zoom and pan along the axis. Ctrl and the wheel zoom, a sideways wheel and dragging pan; the
// plain wheel scrolls the page.
import {scaleLinear} from 'd3-scale';
import {select} from 'd3-selection';
import {zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior, type ZoomTransform} from 'd3-zoom';
import {useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';

export interface ZoomHandle {
    by: (factor: number) => void;
    fit: () => void;
    show: (from: number, to: number) => void; // positions; nothing where they are seen
    // Positions from there to there fill the width.
    frame: (from: number, to: number) => void;
}

const kCellsLeast = 4; // seen at the largest zoom

export function useZoom(svg: {current: SVGSVGElement | null}, width: number, length: number, isReady: boolean) {
    const [transform, setTransform] = useState<ZoomTransform>(zoomIdentity);
    const behaviour = useRef<ZoomBehavior<SVGSVGElement, unknown> | null>(null);
    const now = useRef(transform);
    now.current = transform;
    const base = scaleLinear().domain([0, Math.max(length, 1e-9)]).range([0, width]);
    useLayoutEffect(() => {
        if (!isReady || !svg.current) {
            return;
        }
        const element = select(svg.current);
        behaviour.current = zoom<SVGSVGElement, unknown>()
            .extent([[0, 0], [width, 1]])
            .translateExtent([[0, 0], [width, 1]])
            .scaleExtent([1, Math.max(1, length / kCellsLeast)])
            .filter((event: Event) => event.type === 'wheel'
                ? (event as WheelEvent).ctrlKey || (event as WheelEvent).metaKey
                : !(event as MouseEvent).button)
            .on('zoom', (event: D3ZoomEvent<SVGSVGElement, unknown>) => setTransform(event.transform));
        element.call(behaviour.current).on('dblclick.zoom', null);
        const pan = (event: WheelEvent) => {
            if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                event.preventDefault();
                behaviour.current!.translateBy(element, -event.deltaX / now.current.k, 0);
            }
        };
        svg.current.addEventListener('wheel', pan, {passive: false});
        behaviour.current.transform(element, zoomIdentity);
        const node = svg.current;
        return () => node.removeEventListener('wheel', pan);
    }, [isReady, width, length]);
    const handle = useMemo<ZoomHandle>(() => {
        const element = () => select(svg.current!);
        const frame = (from: number, to: number) => {
            const k = Math.max(1, Math.min(length / kCellsLeast, length / Math.max(1e-9, to - from)));
            const middle = base((from + to) / 2);
            behaviour.current!.transform(element(), zoomIdentity.translate(width / 2 - middle * k, 0).scale(k));
        };
        return {
            by: factor => behaviour.current!.scaleBy(element(), factor),
            fit: () => behaviour.current!.transform(element(), zoomIdentity),
            frame,
            show: (from, to) => {
                const [begin, end] = now.current.rescaleX(base).domain() as [number, number];
                if (behaviour.current && (from < begin || to > end)) {
                    behaviour.current.translateTo(element(), base((from + to) / 2), 0);
                }
            },
        };
    }, [isReady, width, length]);
    return {domain: transform.rescaleX(base).domain() as [number, number], handle};
}
