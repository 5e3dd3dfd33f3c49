#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libaprutil1-dev 1.6.3 (Debian 12; apr_thread_pool), with gcc 12.2.
# Expected: apr_thread_pool.h says that tasks wait in a queue by priority, 0 to 255, "with higher values being served
#   first", and that apr_thread_pool_push() puts a task at the bottom of the tasks of the same priority.
# Really: the queue has a mark for each quarter of the range. A task that goes before the marked one of its own quarter,
#   because it is more urgent, does not become the marked one. What comes later goes in at the mark: after 70 and 80
#   were pushed, 90 waits for 80, and 255 waits for 80 and 90. The constants of the header meet it, too: LOWEST and
#   LOW are of one quarter, HIGHEST runs after LOW.
# Seen: the lines at the end of this script. Controls: the same tasks in another order of arrival; one of each quarter.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libaprutil1-dev '1.6.3-*'
debian libc6-dev '2.36-*'
debian gcc '4:12.2.*'

cat >"$tmp/order.c" <<'PROGRAM'
#include <apr_general.h>
#include <apr_thread_pool.h>
#include <stdio.h>
#include <unistd.h>

static int told[2], begun[2];

/* Keeps the only thread until all tasks are in the queue. */
static void* APR_THREAD_FUNC first(apr_thread_t* thread, void* unused)
{
    char byte = 0;
    (void)thread;
    if (write(begun[1], &byte, 1) != 1 || read(told[0], &byte, 1) != 1)
        puts("broken pipe");
    return unused;
}

static void* APR_THREAD_FUNC task(apr_thread_t* thread, void* priority)
{
    (void)thread;
    printf(" %d", *(int*)priority);
    return NULL;
}

static void* APR_THREAD_FUNC last(apr_thread_t* thread, void* unused)
{
    char byte = 0;
    (void)thread;
    if (write(begun[1], &byte, 1) != 1)
        puts("broken pipe");
    return unused;
}

static void run(const char* title, int count, int* priorities)
{
    apr_pool_t* memory;
    apr_thread_pool_t* pool;
    char byte = 0;
    apr_pool_create(&memory, NULL);
    apr_thread_pool_create(&pool, 1, 1, memory);
    apr_thread_pool_push(pool, first, NULL, 255, NULL);
    if (read(begun[0], &byte, 1) != 1)
        puts("broken pipe");
    printf("%s\npushed:", title);
    for (int i = 0; i < count; i++) {
        printf(" %d", priorities[i]);
        apr_thread_pool_push(pool, task, &priorities[i], (apr_byte_t)priorities[i], NULL);
    }
    printf("\nran:");
    apr_thread_pool_push(pool, last, NULL, 0, NULL);
    if (write(told[1], &byte, 1) != 1 || read(begun[0], &byte, 1) != 1)
        puts("broken pipe");
    printf("\n");
    apr_thread_pool_destroy(pool);
    apr_pool_destroy(memory);
}

int main(void)
{
    apr_initialize();
    if (pipe(told) || pipe(begun))
        return 1;
    run("one quarter, then an urgent task", 4, (int[]){70, 80, 90, 255});
    run("the constants LOWEST, LOW, HIGHEST", 3,
        (int[]){APR_THREAD_TASK_PRIORITY_LOWEST, APR_THREAD_TASK_PRIORITY_LOW, APR_THREAD_TASK_PRIORITY_HIGHEST});
    run("control: the same tasks in another order", 4, (int[]){90, 80, 70, 255});
    run("control: one of each quarter", 4, (int[]){10, 70, 130, 255});
    return 0;
}
PROGRAM
# shellcheck disable=SC2046  # several options
/usr/bin/gcc -o "$tmp/order" "$tmp/order.c" $(apr-1-config --cflags --cppflags --includes) -laprutil-1 -lapr-1

as_stated 'one quarter, then an urgent task
pushed: 70 80 90 255
ran: 80 90 255 70
the constants LOWEST, LOW, HIGHEST
pushed: 0 63 255
ran: 63 255 0
control: the same tasks in another order
pushed: 90 80 70 255
ran: 255 90 80 70
control: one of each quarter
pushed: 10 70 130 255
ran: 255 130 70 10' "$("$tmp/order")"
