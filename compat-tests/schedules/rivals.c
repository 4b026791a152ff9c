/* SPDX-License-Identifier: Apache-2.0 */
#include "rivals.h"

#include "draw.h"

#include <string.h>

#define MAX_RIVALS 30

static struct {
    int count;
    bool siblings; /* some are of our session */
} rivals;

void rivals_begin(bool siblings)
{
    rivals.count = 0;
    rivals.siblings = siblings;
}

struct node *some_rival(void)
{
    struct node *found[MAX_NODES];
    size_t count = 0;
    for (struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (!node->of_library && node_is_child(node, LOCK_PATH) && node->deleted == 0) {
            found[count++] = node;
        }
    }
    if (count == 0) {
        return NULL;
    }
    return draw_once_in(2) ? found[0] : found[draw_below(count)];
}

bool rival_comes(void)
{
    if (rivals.count >= MAX_RIVALS || ensemble.node_count + 16 > MAX_NODES || some_rival() != NULL) {
        return false;
    }
    int count = 1 + (int)draw_below(3);
    for (int i = 0; i < count; i++) {
        const struct node *node = rival_create(rivals.siblings && draw_once_in(2));
        rivals.count++;
        run_trace("%s comes, of session %llx", strrchr(node->path, '-') + 1, (unsigned long long)node->owner);
    }
    return true;
}

bool rival_leaves(void)
{
    struct node *rival = some_rival();
    if (rival != NULL) {
        run_trace("%s leaves", strrchr(rival->path, '-') + 1);
        ensemble_delete(rival->path);
    }
    return rival != NULL;
}

/* A writer that holds takes the read lock: its reader's node has the writer's number. */
bool rival_downgrades(void)
{
    struct node *rival = some_rival();
    char *kind = rival != NULL ? strstr(rival->path, "__WRIT__") : NULL;
    if (kind == NULL || rival->owner == 0 || ensemble.node_count + 16 > MAX_NODES) {
        return false;
    }
    for (const struct node *node = ensemble.nodes; node < ensemble.nodes + ensemble.node_count; node++) {
        if (node != rival && node_is_child(node, LOCK_PATH) && node->deleted == 0 &&
            strcmp(node->path + strlen(node->path) - 10, kind + strlen("__WRIT__")) <= 0) {
            return false; /* it does not hold yet, or reads already */
        }
    }
    char path[PATH_SIZE];
    strcpy(path, rival->path);
    memcpy(path + (kind - rival->path), "__READ__", strlen("__READ__"));
    struct node *created;
    ensemble_create(path, ZOO_EPHEMERAL, rival->owner, "", 0, &created);
    run_trace("%s downgrades", kind);
    return true;
}
