/* SPDX-License-Identifier: Apache-2.0 */
/* A failure is a status for the caller and a sentence kept for the failing thread. */
#ifndef CURATOR_BASE_ERROR_H
#define CURATOR_BASE_ERROR_H

#include <curator/status.h>

/*
 * Keeps the sentence for curator_last_error() and returns status. Never allocates; a sentence that is too long ends in
 * "...". The arguments may include curator_last_error() itself.
 *
 * Every sentence that a user gets begins with the function called, then the path if there is one:
 * "curator_mutex_release /jobs/nightly: ...". Files that do not know the function give the rest: see fail_in().
 */
curator_status fail(curator_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts the function called in front of the sentence that is kept. */
curator_status fail_in(const char *caller, curator_status status);

#endif
