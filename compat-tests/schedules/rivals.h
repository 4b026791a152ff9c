/* SPDX-License-Identifier: Apache-2.0 */
/* Others that contend for the lock: they come, leave and downgrade by chance. */
#ifndef CURATOR_SCHEDULES_RIVALS_H
#define CURATOR_SCHEDULES_RIVALS_H

#include "schedule.h"

void rivals_begin(bool siblings);
/* A node of theirs: any, the first more often than the rest. NULL: there is none. */
struct node *some_rival(void);
bool rival_comes(void);
bool rival_leaves(void);
bool rival_downgrades(void);

#endif
