// SPDX-License-Identifier: Apache-2.0

// Loads what install.sh has installed: from $LOCKKEEPER_LIBRARIES, else from build/libraries.
'use strict';

const {createRequire} = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const {serve} = require('../lockkeeper_wire');

const folder = path.resolve(process.env.LOCKKEEPER_LIBRARIES || path.join(__dirname, '../../../build/libraries'));
const from = createRequire(path.join(folder, 'package.json'));

function found(find, name) {
  try {
    return find(name);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    console.error(`not installed: ${name} (npm); see examples/wire/libraries/README.md`);
    process.exit(1);
  }
}

// A package as package.json names it, for example "redlock" or "node-resque-5.5.3".
exports.load = (name) => found(from, name);
// The same for a package of ES modules: a promise.
exports.imported = (name) => import(pathToFileURL(found(from.resolve, name)));
exports.serve = serve;
