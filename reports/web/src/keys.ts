// SPDX-License-Identifier: Apache-2.0

// Keys for the whole page, where nobody writes or chooses.
import {useLayoutEffect, useRef} from 'preact/hooks';

export function useKeys(actions: Record<string, () => void>): void {
    const now = useRef(actions);
    now.current = actions;
    useLayoutEffect(() => { // whoever sees the page may press one
        const listen = (event: KeyboardEvent) => {
            const target = event.target as HTMLElement;
            const writes = ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName) || target.isContentEditable;
            const presses = [' ', 'Enter'].includes(event.key) && ['BUTTON', 'SUMMARY', 'A'].includes(target.tagName);
            if (event.ctrlKey || event.metaKey || event.altKey || presses) {
                return;
            }
            if (writes) {
                if (event.key === 'Escape' || event.key === 'Enter') {
                    target.blur();
                }
                return;
            }
            const action = now.current[event.key];
            if (action) {
                event.preventDefault();
                action();
            }
        };
        document.addEventListener('keydown', listen);
        return () => document.removeEventListener('keydown', listen);
    }, []);
}
