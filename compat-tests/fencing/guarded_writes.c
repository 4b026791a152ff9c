/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded zoo_multi goes through while the lock is held and fails once it is gone, noticed or not; tokens grow. */
#include "scenario.h"
#include <zookeeper/zookeeper.h>

static int guarded_write(zhandle_t *handle, curator_mutex *mutex, const char *resource, const char *value)
{
    zoo_op_t ops[2];
    zoo_op_result_t results[2];
    assert_ok(curator_mutex_guard(mutex, &ops[0]));
    zoo_set_op_init(&ops[1], resource, value, (int)strlen(value), -1, NULL);
    return zoo_multi(handle, 2, ops, results);
}

static void assert_resource_is(zhandle_t *handle, const char *resource, const char *value)
{
    char buffer[64] = "";
    int size = (int)sizeof(buffer) - 1;
    assert_that(zoo_get(handle, resource, 0, buffer, &size, NULL) == ZOK);
    buffer[size] = '\0';
    assert_that(strcmp(buffer, value) == 0);
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    const char *path = scenario_argument(argc, argv, 2);
    char resource[1024];
    char *node = NULL;
    curator_mutex *first = NULL;
    curator_mutex *second = NULL;
    int64_t first_token = 0;
    int64_t second_token = 0;
    curator_framework *one = connected_client(connect_string);
    curator_framework *two = connected_client(connect_string);
    zhandle_t *handle = curator_framework_borrow_handle(one);
    zhandle_t *other_handle = curator_framework_borrow_handle(two);
    assert_that(handle != NULL && other_handle != NULL);
    assert_ok(curator_mutex_create(&first, one, path));
    assert_ok(curator_mutex_create(&second, two, path));
    assert_ok(curator_mutex_acquire(first));
    assert_ok(curator_mutex_lock_path(first, &node));
    assert_ok(curator_mutex_fencing_token(first, &first_token));
    snprintf(resource, sizeof(resource), "%s-resource", path);
    assert_that(zoo_create(handle, resource, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0) == ZOK);

    assert_that(guarded_write(handle, first, resource, "first") == ZOK);
    assert_that(guarded_write(handle, first, resource, "first again") == ZOK);
    assert_resource_is(handle, resource, "first again");

    /* writing to the node, as a revocation does, takes nothing away */
    assert_that(zoo_set(other_handle, node, "x", 1, -1) == ZOK);
    assert_that(guarded_write(handle, first, resource, "first once more") == ZOK);

    assert_that(zoo_delete(other_handle, node, -1) == ZOK);
    assert_ok(curator_mutex_acquire_for(second, bound_ms(5000)));
    assert_ok(curator_mutex_fencing_token(second, &second_token));
    assert_that(second_token > first_token);
    assert_that(guarded_write(handle, first, resource, "late") == ZNONODE);
    assert_that(guarded_write(other_handle, second, resource, "second") == ZOK);
    assert_resource_is(handle, resource, "second");

    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(first));
    assert_ok(curator_mutex_release(second));
    free(node);
    assert_ok(curator_framework_return_handle(one, handle));
    assert_ok(curator_framework_return_handle(two, other_handle));
    assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_return_handle(two, other_handle));
    assert_ok(curator_mutex_destroy(first));
    assert_ok(curator_mutex_destroy(second));
    assert_ok(curator_framework_close(one));
    assert_ok(curator_framework_close(two));
    return 0;
}
