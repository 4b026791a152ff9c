/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be so, judged by what the leader knows. What is not is told by run_fail(). In the user's thread. */
#ifndef CURATOR_SCHEDULES_ORACLE_H
#define CURATOR_SCHEDULES_ORACLE_H

#include "ensemble.h"

bool oracle_is_contender(const struct node *node);
const char *oracle_lock_name(const struct node *node); /* its path from the lock name on, for sentences */

/* The node of the user's hold, by its fencing token; NULL: there is none. */
struct node *oracle_node_of_token(void);

void oracle_check_grant(void);
void oracle_check_hold(void);
void oracle_check_nothing_left(const char *when);

#endif
