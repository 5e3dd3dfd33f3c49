#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: pike8.0-core 8.0.1738 (Debian 12; Thread.Farm, a pool of threads with a queue of jobs).
# Expected: the manual says that Thread.Farm()->run_multiple() gives one result for several jobs: all values, or, if one
#   of them throws, the first backtrace instead. status() is then negative, and who asks for the result gets the error.
# Really: if the job that fails is the one that ends last, or the only one, the result is marked as failed and at once
#   as done: status() is 1, the value is the number 1, nobody gets an error, and the callback is called twice, first
#   for a failure, then for a success. If another job ends later, the failure stays, but 1 is thrown for a backtrace.
# Seen: the lines at the end of this script. Controls: the same job by run(); no job fails.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian pike8.0-core '8.0.1738-*'

cat >"$tmp/farm.pike" <<'PROGRAM'
Thread.Queue first_may_end, second_may_end;

mixed job(Thread.Queue may_end, int fails) {
  may_end->read();
  if (fails)
    error("the disk is full\n");
  return 7;
}

string text(mixed value) {
  return intp(value) ? "the number " + value : describe_error(value) - "\n";
}

// Lets the jobs end one after the other, shows the result and what the callback was told.
void show(string title, object result, Thread.Queue ... ends) {
  array(string) calls = ({});
  result->set_done_cb(lambda(mixed value, int failed) { calls += ({ failed ? "failed" : "done" }); });
  foreach (ends, Thread.Queue may_end) {
    may_end->write(1);
    sleep(0.3);
  }
  string seen;
  mixed thrown = catch {
    mixed value = result();
    seen = "gives " + (arrayp(value) ? "all values" : text(value));
  };
  if (thrown)
    seen = "throws " + text(thrown);
  write("%s: status %d, %s, the callback is told: %s\n", title, result->status(), seen, calls * ", ");
}

void both(string title, int first_fails, int second_fails) {
  first_may_end = Thread.Queue();
  second_may_end = Thread.Queue();
  Thread.Farm farm = Thread.Farm();
  object result = farm->run_multiple(({ ({ job, ({ first_may_end, first_fails }) }),
                                        ({ job, ({ second_may_end, second_fails }) }) }));
  show(title, result, first_may_end, second_may_end);
}

int main() {
  both("of two jobs the one that ends last fails", 0, 1);
  both("of two jobs the one that ends first fails", 1, 0);
  Thread.Farm farm = Thread.Farm();
  first_may_end = Thread.Queue();
  show("one job, it fails", farm->run_multiple(({ ({ job, ({ first_may_end, 1 }) }) })), first_may_end);
  show("control, the same job by run()", farm->run(job, first_may_end, 1), first_may_end);
  both("control, no job fails", 0, 0);
  return 0;
}
PROGRAM

as_stated 'of two jobs the one that ends last fails: status 1, gives the number 1, the callback is told: failed, done
of two jobs the one that ends first fails: status -1, throws the number 1, the callback is told: failed
one job, it fails: status 1, gives the number 1, the callback is told: failed, done
control, the same job by run(): status -1, throws the disk is full, the callback is told: failed
control, no job fails: status 1, gives all values, the callback is told: done' \
    "$(timeout 30 /usr/bin/pike8.0 "$tmp/farm.pike" 2>&1)"
