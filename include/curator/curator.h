/* SPDX-License-Identifier: Apache-2.0 */
/** \file
 * Apache Curator's locks in C: all headers of the library.
 *
 * - `<curator/status.h>`: what a call answers, and the sentence that goes with a failure
 * - `<curator/retry.h>`: how often a failure that can pass is tried again
 * - `<curator/log.h>`: where the library's log lines go
 * - `<curator/tracer.h>`: measurement: what happened, how long it took, how it ended
 * - `<curator/framework.h>`: a client: session, connection states, name space
 * - `<curator/mutex.h>`: the mutex, to acquire and to release; includes the next four
 * - `<curator/ownership.h>`: who owns it, and the proof of that for others: fencing token, guard
 * - `<curator/lease.h>`: how long a hold certainly lasts; calls before and after its loss
 * - `<curator/participants.h>`: the nodes that hold and wait
 * - `<curator/revocation.h>`: asking for a lock that somebody holds, and being asked
 * - `<curator/read_write_lock.h>`: many readers or one writer
 * - `<curator/semaphore.h>`: so many leases at a time, across processes
 * - `<curator/semaphore_lease.h>`: one of them, and its return
 * - `<curator/contenders.h>`: who holds a lock and who waits for it, with what their nodes say
 *
 * `<curator/curator.h>` includes them all. Each can be included alone, from C11 and from C++. For C++17 there is
 * `<curator/curator.hpp>`, see docs/cplusplus.md.
 *
 * Rules that hold everywhere:
 *
 * - **Names.** Everything starts with `curator_` or `CURATOR_`. Types are opaque structs.
 * - **Answers.** Every call that can fail returns a ::curator_status. Results come through the pointer that is passed
 *   for them; they are NULL or untouched unless the status is CURATOR_OK.
 * - **Zero is the default.** `&(curator_framework_options){.connect_string = "..."}` is complete.
 * - **Times** are `int64_t` milliseconds. A negative one is CURATOR_INVALID_ARGUMENT. A huge one means "for ever".
 * - **Copies.** The library copies what it is given. For what it hands out, the function says how it is freed.
 * - **Paths** are those of ZooKeeper, in UTF-8, without the name space.
 * - **Threads.** Any thread may call any function, unless the function says otherwise. Destroying an object while
 *   another thread uses it is a mistake of the caller, as with free(). No call is a cancellation point:
 *   pthread_cancel() takes effect after it. Signals end no call.
 * - **fork().** In a child process every call on an inherited object answers CURATOR_FORKED.
 * - **Room to grow.** ::curator_framework_options and ::curator_retry_policy end in reserved space, which must be zero:
 *   initialise them as a whole, by `{0}` or designated initialisers. New members take their place from it, and zero is
 *   their default, so a program goes on running with a newer library. ::curator_logger and ::curator_tracer keep
 *   their members. What the library alone makes may get members at its end: ::curator_participants,
 *   ::curator_contenders, ::curator_contender and ::curator_trace.
 * - **Linking.** `pkg-config curator`, or CMake's `curator::curator` (`curator::curator_static` for the archive).
 *   A program that calls the ZooKeeper C API itself adds `-lzookeeper_mt`.
 * - **Version.** `CURATOR_VERSION_MAJOR`, `CURATOR_VERSION_MINOR` and `CURATOR_VERSION_PATCH` are numbers for `#if`:
 *   the version of the headers that a program was compiled with. curator_version() is that of the library it runs
 *   with.
 */
#ifndef CURATOR_CURATOR_H
#define CURATOR_CURATOR_H

#include <curator/api.h>
#include <curator/contenders.h>
#include <curator/framework.h>
#include <curator/lease.h>
#include <curator/log.h>
#include <curator/mutex.h>
#include <curator/ownership.h>
#include <curator/participants.h>
#include <curator/read_write_lock.h>
#include <curator/retry.h>
#include <curator/revocation.h>
#include <curator/semaphore.h>
#include <curator/semaphore_lease.h>
#include <curator/status.h>
#include <curator/tracer.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the version of the library that the program runs with, such as "0.1.0".
 *
 * \return the version. Never NULL; static storage, not to be freed.
 * \blocks no
 * \threads any
 * \ports nothing: in Java the manifest of the jar has it
 */
CURATOR_API const char *curator_version(void);

#ifdef __cplusplus
}
#endif

/** \mainpage
 * \copydetails curator.h
 */

#endif
