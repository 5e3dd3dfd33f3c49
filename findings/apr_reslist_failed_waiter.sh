#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libaprutil1-dev 1.6.3 (Debian 12; apr_reslist, the pool under Apache's database connections), with gcc 12.2.
# Expected: apr_reslist.h says that apr_reslist_acquire() makes a new resource if necessary and blocks only while the
#   maximum number of resources is reached. When a lost connection is invalidated its place is free for who waits.
# Really: one waiter is woken. If its new connection cannot be made it gets the error and wakes nobody. The other
#   waiter sleeps beside a list without any resource until its time-out, though the next connection would succeed, as a
#   newcomer sees. Without a time-out it sleeps until a newcomer gives its resource back.
# Seen: the lines at the end of this script. Controls: all connections can be made; the resource is released, not
#   invalidated.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libaprutil1-dev '1.6.3-*'
debian libc6-dev '2.36-*'
debian gcc '4:12.2.*'

cat >"$tmp/list.c" <<'PROGRAM'
#include <apr_general.h>
#include <apr_reslist.h>
#include <apr_thread_proc.h>
#include <stdio.h>

static int made, fails_at, served, failed;
static apr_reslist_t* list;

/* The list calls it under its own lock. */
static apr_status_t make(void** resource, void* unused, apr_pool_t* memory)
{
    (void)memory;
    *resource = unused;
    return ++made == fails_at ? APR_EGENERAL : APR_SUCCESS;
}

static apr_status_t destroy(void* resource, void* unused, apr_pool_t* memory)
{
    (void)resource, (void)unused, (void)memory;
    return APR_SUCCESS;
}

static void* APR_THREAD_FUNC waiter(apr_thread_t* thread, void* unused)
{
    void* resource;
    (void)thread;
    if (apr_reslist_acquire(list, &resource) != APR_SUCCESS) {
        __atomic_add_fetch(&failed, 1, __ATOMIC_SEQ_CST);
        return unused;
    }
    __atomic_add_fetch(&served, 1, __ATOMIC_SEQ_CST);
    apr_reslist_release(list, resource);
    return unused;
}

static void show(const char* when)
{
    int done = __atomic_load_n(&served, __ATOMIC_SEQ_CST), errors = __atomic_load_n(&failed, __ATOMIC_SEQ_CST);
    printf("%s: in use %u, served %d, failed %d, waiting %d\n", when, apr_reslist_acquired_count(list), done, errors,
           2 - done - errors);
}

static void run(const char* title, int fails, int invalidate)
{
    apr_pool_t* memory;
    apr_thread_t* waiters[2];
    apr_status_t status;
    void* resource;
    made = served = failed = 0;
    fails_at = fails;
    apr_pool_create(&memory, NULL);
    apr_reslist_create(&list, 0, 1, 1, 0, make, destroy, &made, memory);
    apr_reslist_acquire(list, &resource);
    puts(title);
    for (int i = 0; i < 2; i++)
        apr_thread_create(&waiters[i], NULL, waiter, NULL, memory);
    apr_sleep(300000);
    show("the holder uses the only resource");
    if (invalidate)
        apr_reslist_invalidate(list, resource);
    else
        apr_reslist_release(list, resource);
    apr_sleep(1000000);
    show("1 s after it gave it back");
    printf("a newcomer: %s\n", apr_reslist_acquire(list, &resource) == APR_SUCCESS ? "served" : "failed");
    apr_reslist_release(list, resource);
    for (int i = 0; i < 2; i++)
        apr_thread_join(&status, waiters[i]);
    show("after the newcomer");
    apr_pool_destroy(memory);
}

int main(void)
{
    apr_initialize();
    run("the resource is broken, making the second one fails", 2, 1);
    run("control: the resource is broken, all can be made", 0, 1);
    run("control: the resource is released", 2, 0);
    return 0;
}
PROGRAM
# shellcheck disable=SC2046  # several options
/usr/bin/gcc -o "$tmp/list" "$tmp/list.c" $(apr-1-config --cflags --cppflags --includes) -laprutil-1 -lapr-1

as_stated 'the resource is broken, making the second one fails
the holder uses the only resource: in use 1, served 0, failed 0, waiting 2
1 s after it gave it back: in use 0, served 0, failed 1, waiting 1
a newcomer: served
after the newcomer: in use 0, served 1, failed 1, waiting 0
control: the resource is broken, all can be made
the holder uses the only resource: in use 1, served 0, failed 0, waiting 2
1 s after it gave it back: in use 0, served 2, failed 0, waiting 0
a newcomer: served
after the newcomer: in use 0, served 2, failed 0, waiting 0
control: the resource is released
the holder uses the only resource: in use 1, served 0, failed 0, waiting 2
1 s after it gave it back: in use 0, served 2, failed 0, waiting 0
a newcomer: served
after the newcomer: in use 0, served 2, failed 0, waiting 0' "$("$tmp/list")"
