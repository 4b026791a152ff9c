/* SPDX-License-Identifier: Apache-2.0 */
/* How a written order of events begins, what happens in it, and how it ends. */
#ifndef CURATOR_SCHEDULES_ORDER_H
#define CURATOR_SCHEDULES_ORDER_H

#include "schedule.h"

#define SESSION_TIMEOUT_MS 10000

/* A mutex that waits for ever, and retries for ever. */
extern const struct plan without_limit;

/* Connected; the acquire has not sent anything yet. */
zhandle_t *begin_to_acquire(void);
/* A mutex that waits behind so many others; all is quiet. */
zhandle_t *begin_behind(int rivals, int64_t timeout_ms);
/* The same, and of the same session as the one before it. */
zhandle_t *begin_behind_sibling(void);
/* Behind one, up to the moment when the watches have been asked for. */
zhandle_t *begin_to_watch(void);
struct node *rival(int index);
void delete_node(const struct node *node);
/* All that the leader has done arrives at the client, in one piece. */
void all_arrives(zhandle_t *handle);
/* All of that reaches the library, before the waiting thread comes to run. */
void library_is_told(zhandle_t *handle);
void ends_well(void);

#endif
