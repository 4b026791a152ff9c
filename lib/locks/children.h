/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of children that an attempt finds its place in, with what makes it count: the proof that our own node is
 * ours, as a list has only its name, and a sign of life from the leader. Under a write lock it is a look at the
 * writer's node instead. Caller holds client->mutex.
 */
#ifndef CURATOR_LOCKS_CHILDREN_H
#define CURATOR_LOCKS_CHILDREN_H

#include "locks/attempt.h"

/* Asks for the list, into attempt->children; NULL: out of memory. */
void children_ask(struct attempt *attempt);
void children_forget(struct attempt *attempt);

/* CURATOR_OK: attempt->children is newer than all events so far. The list that came with the creation is used first. */
curator_status children_await(struct attempt *attempt);

#endif
