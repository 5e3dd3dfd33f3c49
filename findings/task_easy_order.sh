#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: task-easy 1.0.1 (npm).
# Expected: the README says that it is a priority queue, built on a heap, whose tasks are executed in the order of the
#   comparison function: of those that wait the most urgent one is next.
# Really: a task is put at the front of the heap's array, which moves all others to other places of the heap, and only
#   the front is set right. With a dozen tasks that wait a less urgent one can pass a more urgent one; with a hundred it
#   is one in several.
# Seen: the lines at the end of this script. Control: five tasks, in each of their 120 orders.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages task-easy@1.0.1

cat >"$tmp/order.js" <<'PROGRAM'
const {TaskEasy} = require("task-easy");

// The order in which tasks that wait for the end of another one are executed.
async function order(priorities) {
  const queue = new TaskEasy((one, other) => one.priority > other.priority, 1000);
  const executed = [];
  let end;
  queue.schedule(() => new Promise((resolve) => (end = resolve)), [], {priority: 0});
  const all = priorities.map((priority) => queue.schedule(async () => executed.push(priority), [], {priority}));
  end();
  await Promise.all(all);
  return executed;
}

const inOrder = (executed) => executed.every((priority, index) => index == 0 || executed[index - 1] >= priority);

function orders(list) {
  return list.length < 2 ? [list] : list.flatMap((first, index) =>
    orders([...list.slice(0, index), ...list.slice(index + 1)]).map((rest) => [first, ...rest]));
}

(async () => {
  const dozen = [11, 2, 8, 6, 7, 10, 4, 12, 1, 9, 5, 3];
  console.log(`scheduled ${dozen.join(" ")}`);
  console.log(`executed ${(await order(dozen)).join(" ")}`);
  const hundred = Array.from({length: 100}, (_, index) => index * 37 % 101);
  const executed = await order(hundred);
  const passed = executed.filter((priority, index) => executed.slice(index).some((later) => later > priority)).length;
  console.log(`a hundred tasks: ${passed} are executed before a more urgent one that waits`);
  let right = 0;
  for (const five of orders([1, 2, 3, 4, 5])) right += inOrder(await order(five));
  console.log(`control, five tasks: ${right} of 120 orders are right`);
})();
PROGRAM

as_stated 'scheduled 11 2 8 6 7 10 4 12 1 9 5 3
executed 12 11 10 9 8 6 7 5 4 3 2 1
a hundred tasks: 21 are executed before a more urgent one that waits
control, five tasks: 120 of 120 orders are right' "$(node "$tmp/order.js")"
