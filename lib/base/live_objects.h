/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of this process that a user can destroy, so that a second destroy is recognised without a look at memory
 * that was freed. It is not recognised once another object has that address. On any thread.
 */
#ifndef CURATOR_BASE_LIVE_OBJECTS_H
#define CURATOR_BASE_LIVE_OBJECTS_H

#include <stdbool.h>
#include <uthash.h>

/* Embedded in the object. */
struct live_object {
    UT_hash_handle hh;
    const void *address; /* the user's pointer; NULL: not added */
    void *owner;         /* set before it is added, if somebody asks for it */
};

/* False: out of memory. */
bool live_object_add(struct live_object *object, const void *address);

/* Before the memory is freed. Not added: fine. */
void live_object_remove(struct live_object *object);

/* False: there is certainly no object at this address. */
bool live_object_at(const void *address);

/* The same. *owner: that of the object, without a look at its memory; NULL: not known. */
bool live_object_owner(const void *address, void **owner);

#endif
