#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: etcd3 1.1.2 (npm; with @grpc/grpc-js 1.14.3) with etcd 3.4.23 (Debian 12).
# Expected: the types of the class Campaign say that a campaign has failed when it emits an error, and that one may then
#   make a new one, as the example of the class Election does. So a candidate whose lease ended while it waited has left
#   the election.
# Really: it waits on. Its key went with the lease, and nobody waits for it any more; but as soon as those before it
#   have gone it looks for keys that are older than its own was, finds none, and says that it is elected. The next
#   candidate says so as well: two lead. With the example of the class the lost campaign starts its work beside them.
# Seen: the lines at the end of this script. Controls: no lease is lost; the leader's own lease is lost; the answer to
#   proclaim().

set -euo pipefail
source "$(dirname "$0")/common.sh"
start_etcd
npm_packages etcd3@1.1.2 @grpc/grpc-js@1.14.3

cat >"$tmp/lost.js" <<'PROGRAM'
const {Etcd3} = require("etcd3");
const {execFileSync} = require("node:child_process");
const client = new Etcd3({hosts: process.env.ETCDCTL_ENDPOINTS});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A candidate, once it is known whether it leads or waits.
async function stand(election, name) {
  const it = {name, seen: [], campaign: election.campaign(name)};
  const settled = new Promise((resolve) => {
    it.campaign.once("_isWaiting", resolve);
    it.campaign.once("elected", resolve);
  });
  it.campaign.on("elected", () => it.seen.push("elected"));
  it.failed = new Promise((resolve) => {
    it.campaign.on("error", (error) => {
      it.seen.push(error.constructor.name);
      resolve();
    });
  });
  await settled;
  return it;
}

async function run(title, loses) {
  const election = client.election(title, 2);
  const all = [];
  for (const name of ["A", "B", "C"]) {
    all.push(await stand(election, name));
  }
  const [a, b, c] = all;
  console.log(title);
  const tell = async (when) => console.log(`  ${when}: ${
    all.map(({name, seen}) => `${name} ${seen.join(", ") || "waits"}`).join("; ")}; etcd has ${
    await election.leader()}`);
  await tell("at first");
  if (loses) {
    // This stands for renewals that came too late.
    const lost = {A: a, B: b}[loses];
    const key = await lost.campaign.getCampaignKey();
    execFileSync("etcdctl", ["lease", "revoke", BigInt(key.split("/").pop()).toString(16)]);
    await lost.failed;
    await pause(500);
    await tell(`${loses} has lost its lease`);
  }
  if (loses !== "A") {
    await a.campaign.resign();
    a.seen.push("resigned");
    await pause(500);
    await tell("A has resigned");
  }
  const proclaimed = b.campaign.proclaim("B leads");
  console.log("  proclaim() of B:", await proclaimed.then(() => "done", (error) => error.constructor.name));
  await Promise.all([b, c].map(({campaign}) => campaign.resign()));
}

(async () => {
  await run("B loses its lease while it waits", "B");
  await run("control: nobody loses a lease");
  await run("control: the leader loses its lease", "A");
  process.exit();
})();
PROGRAM

as_stated 'B loses its lease while it waits
  at first: A elected; B waits; C waits; etcd has A
  B has lost its lease: A elected; B EtcdLeaseInvalidError; C waits; etcd has A
  A has resigned: A elected, resigned; B EtcdLeaseInvalidError, elected; C elected; etcd has C
  proclaim() of B: NotCampaigningError
control: nobody loses a lease
  at first: A elected; B waits; C waits; etcd has A
  A has resigned: A elected, resigned; B elected; C waits; etcd has B
  proclaim() of B: done
control: the leader loses its lease
  at first: A elected; B waits; C waits; etcd has A
  A has lost its lease: A elected, EtcdLeaseInvalidError; B elected; C waits; etcd has B
  proclaim() of B: done' "$(node "$tmp/lost.js")"
