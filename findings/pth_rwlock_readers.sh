#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libpth-dev 2.0.7 (Debian 12; GNU Pth), with gcc 12.2.
# Expected: the manual says that readers share a read-write lock, that a writer excludes everybody, and that
#   pth_rwlock_release gives back what was acquired. Nothing is said of the order in which readers leave.
# Really: the first reader takes an inner mutex for all readers, the last one gives it back, and a mutex
#   belongs to its thread. If the last reader is not the first one its release fails with EACCES and its
#   place stays counted: no writer gets in although nobody reads. When the thread of the first reader ends
#   the mutex comes free, the count does not: from then on readers get in beside a writer.
# Seen: the lines at the end of this script. Control: the reader who came first leaves last.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libpth-dev '2.0.7-*'
debian libc6-dev '2.36-*'
debian gcc '4:12.2.*'

cat >"$tmp/readers.c" <<'PROGRAM'
#include <errno.h>
#include <pth.h>
#include <stdio.h>
#include <string.h>

static pth_rwlock_t lock;
static int turn;

static void say(const char* who, int done)
{
    printf("%s: %s\n", who, done ? "yes" : strerror(errno));
}

static void wait_for(int value)
{
    while (turn < value)
        pth_yield(NULL);
}

struct visit {
    const char* name;
    int leaves;
};

/* Reads until its turn, and ends at 3. */
static void* reader(void* argument)
{
    const struct visit* visit = argument;
    pth_rwlock_acquire(&lock, PTH_RWLOCK_RD, FALSE, NULL);
    wait_for(visit->leaves);
    say(visit->name, pth_rwlock_release(&lock));
    wait_for(3);
    return NULL;
}

static void* ask_to_read(void* unused)
{
    int granted = pth_rwlock_acquire(&lock, PTH_RWLOCK_RD, TRUE, NULL);
    say("another reads beside the writer", granted);
    if (granted)
        pth_rwlock_release(&lock);
    return unused;
}

static void run(const char* title, int first_leaves, int second_leaves)
{
    struct visit first = {"the first reader gives back", first_leaves};
    struct visit second = {"the second reader gives back", second_leaves};
    pth_rwlock_init(&lock);
    turn = 0;
    puts(title);
    pth_t one = pth_spawn(PTH_ATTR_DEFAULT, reader, &first);
    pth_yield(one);
    pth_t two = pth_spawn(PTH_ATTR_DEFAULT, reader, &second);
    for (turn = 1; turn <= 2; turn++)
        pth_nap(pth_time(0, 200000));
    int granted = pth_rwlock_acquire(&lock, PTH_RWLOCK_RW, TRUE, NULL);
    say("nobody reads, a writer gets in", granted);
    pth_join(one, NULL);
    pth_join(two, NULL);
    if (!granted)
        say("the readers have ended, a writer gets in", pth_rwlock_acquire(&lock, PTH_RWLOCK_RW, TRUE, NULL));
    pth_join(pth_spawn(PTH_ATTR_DEFAULT, ask_to_read, NULL), NULL);
    pth_rwlock_release(&lock);
}

int main(void)
{
    pth_init();
    run("who came first leaves first", 1, 2);
    run("control: who came first leaves last", 2, 1);
    return 0;
}
PROGRAM
/usr/bin/gcc -o "$tmp/readers" "$tmp/readers.c" -lpth

as_stated 'who came first leaves first
the first reader gives back: yes
the second reader gives back: Permission denied
nobody reads, a writer gets in: Device or resource busy
the readers have ended, a writer gets in: yes
another reads beside the writer: yes
control: who came first leaves last
the second reader gives back: yes
the first reader gives back: yes
nobody reads, a writer gets in: yes
another reads beside the writer: Device or resource busy' "$(LC_ALL=C "$tmp/readers")"
