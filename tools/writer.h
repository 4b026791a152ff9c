/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that a thread of their own writes. Who reads them may have stopped, as a terminal does after Ctrl-S, and while
 * a lock is held nothing may wait for that.
 */
#ifndef CURATOR_LOCK_WRITER_H
#define CURATOR_LOCK_WRITER_H

#include <stdbool.h>
#include <stdint.h>

struct writer;

enum writer_state { WRITER_BUSY, WRITER_DONE, WRITER_FAILED };

/*
 * Starts the thread for a descriptor. It lives as long as the process, which must not fork any more. NULL and errno:
 * there is none. `event`, an eventfd or -1, is made readable when all is written, or cannot be.
 */
struct writer *writer_start(int fd, int event);

/* Never blocks. Where too much waits already, lines are dropped, and a line says how many. Any thread. */
void writer_put(struct writer *writer, const char *text);

/* Waits until all is written, for so many milliseconds at most. */
enum writer_state writer_await(struct writer *writer, int64_t timeout_ms);

#endif
