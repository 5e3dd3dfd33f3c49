// SPDX-License-Identifier: Apache-2.0

// names.json, with which the playground's editor completes (reports/web/src/schema_names.ts): parts of the document of
// `lockkeeper list --format json`, asked of the module. Usage: ENGINE=FOLDER names.mjs OUT.
import {writeFileSync} from 'node:fs';

import {newEngine} from './test/engine.mjs';

const ended = (await newEngine()).command({arguments: ['list', '--format', 'json']});
if (ended.exit_code !== 0) {
    throw new Error(ended.err);
}
const {systems, properties, goals, strategies} = JSON.parse(ended.out);
const named = ({name, definition}) => ({name, definition});
writeFileSync(process.argv[2], JSON.stringify({
    systems: systems.map(({system, variant, about, vocabulary: {parameters, faults, settings, calls}}) => ({system, variant, about, vocabulary: {parameters, faults, settings, calls}})),
    properties: properties.map(named),
    goals: goals.map(named),
    strategies,
}));
