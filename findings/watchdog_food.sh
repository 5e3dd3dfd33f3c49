#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: watchdog 0.9.2 (npm).
# Expected: the README shows that a watchdog which is not fed for its time is reset, 60 s by default. The types say that a
#   food may have a time of its own, and that left() and feed() give the time that is left.
# Really: feed() writes the time of the first dog into the food. Who feeds two dogs with one object, one of 0.5 s and one
#   of 60 s, hears both bark after 0.5 s. And what is left is always reckoned with the time of the dog: with a food of 1 s
#   in a dog of 60 s it is told that 59.7 s are left when it is 0.7 s.
# Seen: the lines at the end of this script. In the second part the clock is the program's own. Controls: a food for each
#   dog; a food without a time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages watchdog@0.9.2

cat >"$tmp/food.mjs" <<'PROGRAM'
import {Watchdog} from "watchdog";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function two(title, foods) {
  const barked = [];
  const dogs = {short: new Watchdog(500, "short"), long: new Watchdog(60000, "long")};
  for (const [name, dog] of Object.entries(dogs)) {
    dog.on("reset", () => barked.push(name));
    dog.feed(foods[name]);
  }
  await pause(2000);
  dogs.long.sleep();
  console.log(`${title}: after 2 s there barked: ${barked.join(" and ")}`);
}

function left(title, food) {
  const clock = Date.now;
  let now = 1e12;
  Date.now = () => now;
  const dog = new Watchdog(60000, "dog");
  dog.feed({...food});
  now += 300;
  console.log(`${title}: after 0.3 s ${dog.left()} ms are left, feed() says ${dog.feed({...food})}`);
  dog.sleep();
  Date.now = clock;
}

const food = {data: "bone"};
await two("one food for both", {short: food, long: food});
await two("control, one for each", {short: {data: "bone"}, long: {data: "bone"}});
left("a food of 1 s in a dog of 60 s", {data: "bone", timeoutMilliseconds: 1000});
left("control, a food without a time", {data: "bone"});
PROGRAM

as_stated 'one food for both: after 2 s there barked: short and long
control, one for each: after 2 s there barked: short
a food of 1 s in a dog of 60 s: after 0.3 s 59700 ms are left, feed() says 59700
control, a food without a time: after 0.3 s 59700 ms are left, feed() says 59700' "$(cd "$tmp" && node food.mjs)"
