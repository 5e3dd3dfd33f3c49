// SPDX-License-Identifier: Apache-2.0

// Takes the reference pictures anew: those that no longer fit. See README.md.
import {spawnSync} from 'node:child_process';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

if (process.env.LOCKKEEPER === undefined) {
    console.error('LOCKKEEPER, the command, is not set: the pictures of the explorer stay as they are.');
}
const test = join(dirname(fileURLToPath(import.meta.url)), 'pictures.test.mjs');
process.exitCode = spawnSync(process.execPath, ['--test', test], {stdio: 'inherit', env: {...process.env, LOCKKEEPER_RENEW_PICTURES: '1'}}).status ?? 1;
