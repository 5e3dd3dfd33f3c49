// SPDX-License-Identifier: Apache-2.0

// Light or dark as the system has it, or as the reader says.
import {useLayoutEffect, useState} from 'preact/hooks';

type Theme = 'auto' | 'light' | 'dark';

export function ThemeSwitch() {
    // As another switch of this page has left it.
    const [theme, setTheme] = useState<Theme>(() => (document.documentElement.dataset['theme'] as Theme | undefined) ?? 'auto');
    useLayoutEffect(() => {
        if (theme === 'auto') {
            delete document.documentElement.dataset['theme'];
        } else {
            document.documentElement.dataset['theme'] = theme;
        }
    }, [theme]);
    return (
        <label class="theme">theme <select value={theme} onChange={event => setTheme(event.currentTarget.value as Theme)}>
            <option value="auto">as the system</option><option value="light">light</option><option value="dark">dark</option>
        </select></label>
    );
}
