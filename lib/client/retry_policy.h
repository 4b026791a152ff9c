/* SPDX-License-Identifier: Apache-2.0 */
/* What a retry policy answers when a request has failed in a way that can pass. */
#ifndef CURATOR_CLIENT_RETRY_POLICY_H
#define CURATOR_CLIENT_RETRY_POLICY_H

#include <curator/retry.h>
#include <curator/status.h>

struct retry_answer {
    bool allowed;
    int64_t sleep_ms; /* 0 or more; 0 if not allowed */
};

/*
 * Whether a call may try again after retry_count retries and elapsed_ms milliseconds, and after which pause.
 * Depends on its arguments only, but for a custom policy, which asks the user's function.
 */
struct retry_answer retry_policy_allow(const curator_retry_policy *policy, int retry_count, int64_t elapsed_ms,
                                       uint32_t random);

/* CURATOR_INVALID_ARGUMENT and a sentence if the policy is none that the constructors could mean. */
curator_status retry_policy_validate(const curator_retry_policy *policy);

#endif
