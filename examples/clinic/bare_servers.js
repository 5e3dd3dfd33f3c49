// SPDX-License-Identifier: Apache-2.0

// Servers of their own for the programs that show a fault without Lockkeeper. They end with the program.
"use strict";
const {spawn, spawnSync} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {pause} = require("./bare.js");

function ends(server, signal, folder) {
    process.on("exit", () => {
        server.kill(signal);
        spawnSync("tail", ["--pid", String(server.pid), "-f", "/dev/null"], {timeout: 10000});
        fs.rmSync(folder, {recursive: true, force: true});
    });
}

async function until(ready, what) {
    for (let i = 0; i < 1200; ++i) {
        if (await ready().then(() => true, () => false)) return;
        await pause(50);
    }
    throw new Error(what + " does not answer");
}

// The path of its socket.
exports.redis = async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bare-"));
    const socket = path.join(folder, "redis");
    const server = spawn("redis-server", ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder],
                         {stdio: "ignore"});
    ends(server, "SIGTERM", folder);
    await until(async () => fs.statSync(socket), "redis-server");
    return socket;
};

// What a Client of pg connects with. PostgreSQL does not run as root: then it runs as postgres.
exports.postgres = async (Client) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bare-"));
    const programs = fs.readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`).pop();
    const as = {stdio: "ignore"};
    if (process.getuid() === 0) {
        const id = (flag) => Number(spawnSync("id", [flag, "postgres"]).stdout);
        Object.assign(as, {uid: id("-u"), gid: id("-g")});
        fs.chownSync(folder, as.uid, as.gid);
    }
    const data = path.join(folder, "data");
    spawnSync(path.join(programs, "initdb"), ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync"],
              {...as, cwd: folder});
    const server = spawn(path.join(programs, "postgres"),
                         ["-D", data, "-k", folder, "-c", "listen_addresses=", "-F"], {...as, cwd: folder});
    ends(server, "SIGINT", folder);
    const options = {host: folder, user: "postgres", database: "postgres"};
    await until(async () => {
        const client = new Client(options);
        client.on("error", () => {});
        await client.connect();
        await client.end();
    }, "postgres");
    return options;
};
