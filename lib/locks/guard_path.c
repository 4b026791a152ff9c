/* SPDX-License-Identifier: Apache-2.0 */
/* The path in the ops that curator_mutex_guard() fills in. */
#include "locks/guard_path.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A copy that may have been freed, kept where leak checkers find it. One for each guard that ends too late. */
struct given_up {
    struct given_up *next;
    const char *path;
};

/* All frameworks add to it, and nothing is removed. Without a mutex, which another thread could hold during a fork. */
static _Atomic(struct given_up *) all_given_up;

static void guard_path_give_up(const char *path)
{
    struct given_up *entry = malloc(sizeof *entry);
    if (entry != NULL) {
        entry->path = path;
        entry->next = atomic_load(&all_given_up);
        while (!atomic_compare_exchange_weak(&all_given_up, &entry->next, entry)) {
        }
    }
}

const char *guard_path(char **copy, const struct protected_node *node)
{
    if (*copy != NULL && session_handle_is_over(node->session)) {
        guard_path_give_up(*copy);
        *copy = NULL;
    }
    if (*copy == NULL) {
        *copy = strdup(node->path);
    }
    return *copy;
}

void guard_path_end(char *copy, const struct protected_node *node)
{
    if (copy != NULL && session_handle_is_over(node->session)) {
        guard_path_give_up(copy);
    } else {
        free(copy);
    }
}
