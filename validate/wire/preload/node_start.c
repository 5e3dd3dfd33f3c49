// SPDX-License-Identifier: Apache-2.0

/* How Node.js is started: its engine is told not to tidy its memory while nothing happens. It would
 * wake for that at moments that no two processes have in common, and sets them before the first
 * script is run. The environment cannot say so (NODE_OPTIONS takes few options of the engine). */
#include "validate/wire/preload/preload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*main_function)(int, char**, char**);

static int is_node(void) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0) {
        return 0;
    }
    path[length] = '\0';
    const char* const slash = strrchr(path, '/');
    const char* const name = slash == NULL ? path : slash + 1;
    return strcmp(name, "node") == 0 || strcmp(name, "nodejs") == 0;
}

/* Behind the first word. The last one stays the last: libuv takes the words to lie in one piece of
 * memory that ends there. Null: as before. */
static char** with_option(int count, char** words) {
    static char option[] = "--no-memory-reducer";
    char** const more = malloc(((size_t)count + 2) * sizeof(*more));
    if (more == NULL) {
        return NULL;
    }
    more[0] = words[0];
    more[1] = option;
    memcpy(more + 2, words + 1, (size_t)count * sizeof(*more)); /* and the null behind them */
    return more;
}

EXPORTED int __libc_start_main(main_function run, int count, char** words, void (*begin)(void),
                               void (*end)(void), void (*end_of_loader)(void), void* stack_end) {
    typedef int (*start_function)(main_function, int, char**, void (*)(void), void (*)(void),
                                  void (*)(void), void*);
    const start_function start = (start_function)lockkeeper_next("__libc_start_main");
    if (count > 1 && getenv(LOCKKEEPER_WIRE_MEMORY) != NULL && is_node()) {
        char** const more = with_option(count, words);
        if (more != NULL) {
            return start(run, count + 1, more, begin, end, end_of_loader, stack_end);
        }
    }
    return start(run, count, words, begin, end, end_of_loader, stack_end);
}
