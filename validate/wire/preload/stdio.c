// SPDX-License-Identifier: Apache-2.0

/* Buffered reads: inside of the C library they wait where nobody sees it. So the bell rings before,
 * where what they look for is not in the buffer. scanf() is only seen later. */
#define __NO_INLINE__ 1 /* or else some of them are defined already */
#include "validate/wire/preload/preload.h"

#include <stdio.h>
#include <string.h>

#undef getc
#undef getc_unlocked
#undef getchar
#undef getchar_unlocked
#undef fgetc_unlocked
#undef fread_unlocked

/* What macros of <stdio.h> call, and what compilers call that check sizes. */
int _IO_getc(FILE* file);
char* __fgets_chk(char* restrict out, size_t room, int size, FILE* restrict file);
size_t __fread_chk(void* restrict out, size_t room, size_t size, size_t count, FILE* restrict file);

/* `end`: the character that ends it; any, where it is below 0. */
static void ring_before(FILE* file, int end) {
    if (lockkeeper_memory() == NULL) {
        return;
    }
    const size_t size = (size_t)(file->_IO_read_end - file->_IO_read_ptr);
    if (size > 0 && (end < 0 || memchr(file->_IO_read_ptr, end, size) != NULL)) {
        return;
    }
    const int error = errno;
    const int number = fileno_unlocked(file);
    if (number >= 0) {
        lockkeeper_ring_before_read(number);
    }
    errno = error;
}

/* Whatever takes a file as its only or last argument. */
#define READS(type, name, parameters, arguments, file, end) \
    EXPORTED type name parameters {                         \
        static type(*next) parameters;                      \
        next = next != NULL ? next : NEXT(name);            \
        ring_before(file, end);                             \
        return next arguments;                              \
    }
#define ANY (-1)

READS(int, getc, (FILE* file), (file), file, ANY)
READS(int, _IO_getc, (FILE* file), (file), file, ANY)
READS(int, fgetc, (FILE* file), (file), file, ANY)
READS(int, getc_unlocked, (FILE* file), (file), file, ANY)
READS(int, fgetc_unlocked, (FILE* file), (file), file, ANY)
READS(int, getchar, (void), (), stdin, ANY)
READS(int, getchar_unlocked, (void), (), stdin, ANY)
READS(int, __uflow, (FILE* file), (file), file, ANY)
READS(int, __underflow, (FILE* file), (file), file, ANY)
READS(char*, fgets, (char* restrict out, int size, FILE* restrict file), (out, size, file), file, '\n')
READS(char*, fgets_unlocked, (char* restrict out, int size, FILE* restrict file), (out, size, file),
      file, '\n')
READS(char*, __fgets_chk, (char* restrict out, size_t room, int size, FILE* restrict file),
      (out, room, size, file), file, '\n')
READS(ssize_t, getline, (char** restrict out, size_t* restrict size, FILE* restrict file),
      (out, size, file), file, '\n')
READS(ssize_t, getdelim, (char** restrict out, size_t* restrict size, int end, FILE* restrict file),
      (out, size, end, file), file, end)
READS(ssize_t, __getdelim, (char** restrict out, size_t* restrict size, int end, FILE* restrict file),
      (out, size, end, file), file, end)
READS(size_t, fread, (void* restrict out, size_t size, size_t count, FILE* restrict file),
      (out, size, count, file), file, ANY)
READS(size_t, fread_unlocked, (void* restrict out, size_t size, size_t count, FILE* restrict file),
      (out, size, count, file), file, ANY)
READS(size_t, __fread_chk,
      (void* restrict out, size_t room, size_t size, size_t count, FILE* restrict file),
      (out, room, size, count, file), file, ANY)
