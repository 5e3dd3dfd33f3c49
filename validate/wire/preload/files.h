// SPDX-License-Identifier: Apache-2.0

/* What the parts of --wire files share: the calls on the folder (LOCKKEEPER_FILES) by path in
 * file_paths.c, by descriptor in file_descriptors.c, their times in file_times.c. Each asks the
 * harness in file_steps.c before it does what it was asked, so that it is a step of its caller.
 * What is not held there is refused: it says so to the harness, and fails with ENOTSUP. */
#pragma once

// The first one says which names the C library has.
// clang-format off
#include "validate/wire/preload/preload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
// clang-format on

#define LOCKKEEPER_FILE_NAME 256
#define LOCKKEEPER_HELD_FILES 1024 /* descriptors from here on are refused */

/* True: `path`, as seen from `directory`, lies in the folder; `name` is its place in there, "." the
 * folder itself. */
int lockkeeper_in_folder(int directory, const char* path, char name[LOCKKEEPER_FILE_NAME]);
/* Returns when the harness lets the call happen. "mkdir %s". */
void lockkeeper_step(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Returns when the lock that `format` describes has become free; or -1, with EINTR. */
int lockkeeper_await_lock(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Tells the harness what came of it. Returns `result`, and leaves errno. */
long lockkeeper_told(long result, const char* good);
long lockkeeper_not_held(const char* call);
/* In a child that was forked: the parent's connections are not its own. */
void lockkeeper_forget_connections(void);

/* By the kernel's own number of the file, or by its name in the folder. */
void lockkeeper_file_made(const char* name);
void lockkeeper_file_written(uint64_t inode);
void lockkeeper_file_altered(uint64_t inode); /* its entries, its number of names */
void lockkeeper_parent_written(const char* name);
/* What the kernel says of it; true: it is there. */
int lockkeeper_named(const char* name, struct stat* out);

/* The name of a descriptor that is held; null: it is not. */
const char* lockkeeper_held_file(int file);
void lockkeeper_hold_file(int file, const char* name);
void lockkeeper_hold_inherited(void);
/* Before it is closed. */
void lockkeeper_close_file(int file);
int lockkeeper_open_in_folder(int directory, const char* path, int flags, mode_t mode,
                              const char* name);
ssize_t lockkeeper_read_file(int file, void* out, size_t size, const char* name);
