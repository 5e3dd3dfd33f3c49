#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: qyu 0.4.7 (npm).
# Expected: the README says that set() changes the options of a queue that is in use, and that whenEmpty() is resolved
#   when the queue becomes empty. After the concurrency was lowered from 3 to 1 the other jobs run one at a time.
# Really: each of the three runners asks at the end of its job whether there are more runners than allowed. If their
#   jobs end together, as with three that waited for one event, each still counts all three, and all of them leave.
#   Five jobs wait beside a queue that runs nothing, and whenEmpty() is resolved. They run when somebody adds another.
# Seen: the lines at the end of this script. Controls: the jobs end one after the other; the concurrency stays at 3.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages qyu@0.4.7

cat >"$tmp/lowered.js" <<'PROGRAM'
const {Qyu} = require("qyu");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, apart, concurrency) {
  const queue = new Qyu({concurrency: 3});
  let event, ended = 0, began = 0;
  const happened = new Promise((resolve) => { event = resolve; });
  const job = async () => {
    const number = ++began;
    await happened;
    if (apart) {
      await pause(10 * number);
    }
    ++ended;
  };
  for (let number = 0; number < 8; ++number) {
    queue.add(job);
  }
  await pause(50);
  queue.set({concurrency});
  event();
  await pause(2000);
  let empty = "no";
  queue.whenEmpty().then(() => { empty = "yes"; });
  await pause(50);
  console.log(`${title}: ended ${ended} of 8, told to be empty: ${empty}`);
  queue.add(job);
  await pause(2000);
  console.log(`  after one more was added: ended ${ended} of 9`);
}

(async () => {
  await run("3, then 1, the jobs end together", false, 1);
  await run("control, 3, then 1, they end apart", true, 1);
  await run("control, 3, they end together", false, 3);
})();
PROGRAM

as_stated '3, then 1, the jobs end together: ended 3 of 8, told to be empty: yes
  after one more was added: ended 9 of 9
control, 3, then 1, they end apart: ended 8 of 8, told to be empty: yes
  after one more was added: ended 9 of 9
control, 3, they end together: ended 8 of 8, told to be empty: yes
  after one more was added: ended 9 of 9' "$(NODE_PATH="$tmp/node_modules" node "$tmp/lowered.js")"
