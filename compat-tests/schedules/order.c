/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "task.h"

#include <criterion/criterion.h>
#include <string.h>

const struct plan without_limit = {
    .timeout_ms = -1, .session_timeout_ms = SESSION_TIMEOUT_MS, .rounds = 1, .forever = true};

zhandle_t *begin_to_acquire(void)
{
    run_begin(&without_limit, 1);
    cr_assert(run_well_until(ACQUIRING), "%s", run.failure);
    return run_handle();
}

zhandle_t *begin_behind(int rivals, int64_t timeout_ms)
{
    struct plan plan = without_limit;
    plan.timeout_ms = timeout_ms;
    run_begin(&plan, 1);
    cr_assert(run_well_until(ACQUIRING), "%s", run.failure);
    for (int i = 0; i < rivals; i++) {
        rival_create(false);
    }
    run_settle();
    cr_assert_eq(run.phase, ACQUIRING);
    return run_handle();
}

zhandle_t *begin_behind_sibling(void)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(true);
    run_settle();
    return handle;
}

zhandle_t *begin_to_watch(void)
{
    zhandle_t *handle = begin_to_acquire();
    rival_create(false);
    while (handle->request_count < 2) {
        run_threads();
    }
    all_arrives(handle); /* create and list */
    run_threads();       /* which asks for the watches */
    return handle;
}

struct node *rival(int index)
{
    struct node *node = ensemble.nodes;
    while (node->of_library || strcmp(node->path, LOCK_PATH) == 0 || index-- > 0) {
        node++;
    }
    return node;
}

void delete_node(const struct node *node)
{
    cr_assert_eq(ensemble_delete(node->path), ZOK);
}

void all_arrives(zhandle_t *handle)
{
    while (handle_forward(handle) || handle_apply(handle) || handle_answer(handle) || handle_receive(handle)) {
    }
}

void library_is_told(zhandle_t *handle)
{
    all_arrives(handle);
    while (handle->inbox.count > 0) {
        cr_assert(task_run_this(handle->completion_task));
    }
}

void ends_well(void)
{
    cr_assert(run_to_end(), "%s", run.failure);
    cr_assert_eq(run.granted, 1, "%d grants", run.granted);
}
