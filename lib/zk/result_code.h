/* SPDX-License-Identifier: Apache-2.0 */
/* What the ZooKeeper client's result codes mean for a caller. The one place that decides it. */
#ifndef CURATOR_ZK_RESULT_CODE_H
#define CURATOR_ZK_RESULT_CODE_H

#include <curator/status.h>
#include <stdbool.h>

/* The request may or may not have been carried out: its effect has to be looked for. */
bool result_code_outcome_unknown(int rc);

/* Of a request that the leader takes part in: only the leader gives this answer, so it was reached. */
bool result_code_from_leader(int rc);

/* The session is over and with it every node of it. */
bool result_code_session_over(int rc);

/* The status of a call that ends with this code. */
curator_status result_code_status(int rc);

/* The code in words, such as "node does not exist". */
const char *result_code_text(int rc);

#endif
