// SPDX-License-Identifier: Apache-2.0

// The browser of the tests, and the command whose pages it shows. LOCKKEEPER: the command, which runs
// in LOCKKEEPER_SOURCE, the root of the repository.
import {spawn} from 'node:child_process';
import {resolve} from 'node:path';
import {createInterface} from 'node:readline';

import {chromium, firefox} from 'playwright-core';

export const kCommand = process.env.LOCKKEEPER && resolve(process.env.LOCKKEEPER);
export const kSource = process.env.LOCKKEEPER_SOURCE && resolve(process.env.LOCKKEEPER_SOURCE);
export const options = {skip: kCommand === undefined && 'no LOCKKEEPER, whose pages are tested'};

const kFlags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// LOCKKEEPER_BROWSER=firefox: Debian's Firefox, as it is, over WebDriver BiDi.
export const launched = (flags = [], env = {}) => process.env.LOCKKEEPER_BROWSER === 'firefox' ? firefox.launch({channel: 'moz-firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr'}) : chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...kFlags, ...flags], env: {...process.env, ...env}});

// The explorer of these files: the address that the command prints. Its process is added to `servers`, for
// the caller to end.
export async function served(files, found, servers) {
    const server = spawn(kCommand, ['serve', ...files, '--out', found], {cwd: kSource, stdio: ['ignore', 'pipe', 'inherit']});
    servers.push(server);
    for await (const line of createInterface({input: server.stdout})) {
        return line.trim();
    }
    throw new Error('serve ended');
}

export const kWaitMilliseconds = 180_000; // a busy machine's

// The page has drawn, and done what comes behind that: graphs, sizes, keys. Each can draw again.
export const drawn = page => page.evaluate(async () => {
    for (let i = 0; i < 3; ++i) {
        await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    }
});

// Of a page that a test is done with, for people to look at: only where LOCKKEEPER_SCREENSHOTS is set, because
// no test reads them.
export async function screenshot(page, path) {
    if (process.env.LOCKKEEPER_SCREENSHOTS) {
        await page.screenshot({path, fullPage: true});
    }
}
