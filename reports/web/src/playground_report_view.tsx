// SPDX-License-Identifier: Apache-2.0

// The page of results in a frame: report.html, sandboxed, for its data may be of a lock of somebody else.
import {useEffect, useRef} from 'preact/hooks';

export function ReportFrame({page}: {page: string}) {
    const frame = useRef<HTMLIFrameElement>(null);
    useEffect(() => {
        const answer = ({source, data}: MessageEvent<{report?: string}>) => {
            if (source === frame.current?.contentWindow && data.report === 'ready') {
                frame.current!.contentWindow!.postMessage({page}, '*');
            }
        };
        addEventListener('message', answer);
        return () => removeEventListener('message', answer);
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
