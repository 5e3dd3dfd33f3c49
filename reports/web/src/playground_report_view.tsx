// SPDX-License-Identifier: Apache-2.0

// The page of results in a frame: report.html, sandboxed, for its data may be of a lock of somebody else.
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';

export interface ReportPlace {
    run: number; // from 0
    step: number;
}

interface Props {
    page: string;
    at?: ReportPlace | undefined; // where it begins
    select?: (place: ReportPlace) => void;
}

const themeOf = () => document.documentElement.dataset['theme'] ?? '';
const isNumber = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 1e9;

export function ReportFrame({page, at, select}: Props) {
    const frame = useRef<HTMLIFrameElement>(null);
    const begin = useRef(at);
    begin.current = at;
    // Before the frame can be ready.
    useLayoutEffect(() => {
        const answer = ({source, data}: MessageEvent<{report?: string; run?: unknown; step?: unknown}>) => {
            if (source !== frame.current?.contentWindow) {
                return;
            }
            if (data.report === 'ready') {
                frame.current!.contentWindow!.postMessage({page, at: begin.current, theme: themeOf()}, '*');
            } else if (data.report === 'at' && isNumber(data.run) && isNumber(data.step)) {
                select?.({run: data.run, step: data.step});
            }
        };
        addEventListener('message', answer);
        const themes = new MutationObserver(() => frame.current?.contentWindow?.postMessage({theme: themeOf()}, '*'));
        themes.observe(document.documentElement, {attributeFilter: ['data-theme']});
        return () => { removeEventListener('message', answer); themes.disconnect(); };
    }, [page]);
    return <iframe key={page} ref={frame} class="report" title="The report" src="report.html" sandbox="allow-scripts allow-downloads" allow="clipboard-write" />;
}

export function ReportDialog({page, close}: {page: string; close: () => void}) {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => dialog.current!.showModal(), []);
    return (
        <dialog class="edit report" ref={dialog} onClose={close} aria-label="The report">
            <div class="run-head"><h2>Report</h2><span class="spacer" /><button aria-label="Close" onClick={() => dialog.current!.close()}>×</button></div>
            <ReportFrame page={page} />
        </dialog>
    );
}
