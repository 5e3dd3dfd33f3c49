// SPDX-License-Identifier: Apache-2.0

// pg-pool, max 1; connect gives up after five seconds of virtual time. The client is a stand-in.
"use strict";
const {givesUp, load, outside, serve} = require("../library.js");
const Pool = load("pg-pool");
const {EventEmitter} = require("events");

// As a native client: it is told to end, and its connection may still come.
class StandIn extends EventEmitter {
    isConnected() { return this.has_come === true; }

    connect(callback) {
        outside("the server's greeting").then(() => {
            this.has_come = true;
            callback(this.has_ended ? new Error("ended") : null);
        });
    }

    end(callback) {
        this.has_ended = true;
        callback?.();
    }
}

serve({setup: () => new Pool({Client: StandIn, max: 1, connectionTimeoutMillis: 5000, idleTimeoutMillis: 0}), operations: {
    acquire: async (pool, op) => {
        op.mine.client = await givesUp(pool.connect(), (error) => /timeout/.test(error.message));
    },
    release: (pool, op) => op.mine.client.release(),
}});
