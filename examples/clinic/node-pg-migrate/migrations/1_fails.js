// SPDX-License-Identifier: Apache-2.0

// A migration that lasts until the caller releases, and fails then.
"use strict";
exports.up = async (pgm) => {
    await globalThis.lockkeeperMigration();
    pgm.sql("SELECT 1/0");
};
