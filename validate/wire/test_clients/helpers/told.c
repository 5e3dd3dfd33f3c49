// SPDX-License-Identifier: Apache-2.0

// Says what its operations are given: keys, number, weight. Those of "plain" know no weight.
#include "../../../../examples/wire/lockkeeper_wire.h"

static void* open_lock(const char* keys) { return strdup(keys); }

static struct lockkeeper_said operate(void* lock, const char* word, long number) {
    static char text[200];
    static char keys[100];
    struct lockkeeper_said said = {LOCKKEEPER_ERROR, 0, 0, 0, text};
    snprintf(keys, sizeof keys, "%s", (const char*)lock);
    if (strcmp(keys, "plain") == 0) {
        said.kind = LOCKKEEPER_OK;
        return said;
    }
    if (strcmp(word, "watch") == 0) {
        lockkeeper_lost(keys);
    }
    for (char* comma = strchr(keys, ','); comma; comma = strchr(comma, ',')) {
        *comma = '+';
    }
    if (strcmp(word, "acquire") == 0) {
        snprintf(text, sizeof text, "%s %ld %ld", keys, number, lockkeeper_weight());
    } else if (strcmp(word, "release") == 0) {
        snprintf(text, sizeof text, "%s %ld", keys, lockkeeper_weight());
    } else {
        snprintf(text, sizeof text, "%s", keys);
    }
    return said;
}

int main(void) {
    const struct lockkeeper_driver driver = {open_lock, operate, free, NULL};
    return lockkeeper_serve(&driver);
}
