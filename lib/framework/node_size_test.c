/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the size of a lock's node, against the bytes counted by hand. */
#include "framework/node_size.h"

#include "client/connect_string.h"
#include "framework/protected_name.h"
#include "zk/request_size.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Header 8, path 4 + 2 + 41 + 5, data 4, ACL 4 + (4 + 4 + 5 + 4 + 6), flags 4. */
#define SMALLEST 95

static struct node_size smallest(void)
{
    return (struct node_size){.path = 2, .name = 5, .acl = request_size_acl(&ZOO_OPEN_ACL_UNSAFE)};
}

Test(node_size, what_stands_around_the_name)
{
    char *path = protected_name_path("/parent", "5ebeee21-0000-4000-8000-000000000017", "lock-");
    cr_assert_eq(strlen(path), strlen("/parent") + PROTECTED_NAME_BYTES + strlen("lock-"));
    free(path);
}

Test(node_size, every_part_counts_and_the_limit_itself_is_allowed)
{
    struct node_size size = smallest();
    const size_t room = REQUEST_MAX_BYTES - SMALLEST;
    size_t *parts[] = {&size.chroot, &size.name_space, &size.path, &size.name, &size.data, &size.acl};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size = smallest();
        *parts[i] += room;
        cr_assert_eq(node_size_check(&size, "test"), CURATOR_OK, "part %zu", i);
        *parts[i] += 1;
        cr_assert_eq(node_size_check(&size, "test"), CURATOR_INVALID_ARGUMENT, "part %zu", i);
    }
}

Test(node_size, a_size_that_nothing_can_have_is_refused)
{
    struct node_size size = smallest();
    size.data = SIZE_MAX;
    cr_assert_eq(node_size_check(&size, "test"), CURATOR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(curator_last_error(), "data 18446744073709551615"));
}

Test(node_size, an_acl_is_as_long_as_all_its_entries)
{
    struct ACL entries[] = {{.id = {.scheme = "digest", .id = "user:secret"}}, {.id = {.scheme = "ip", .id = ""}}};
    struct ACL_vector acl = {.count = 2, .data = entries};
    cr_assert_eq(request_size_acl(&acl), 4 + (4 + 4 + 6 + 4 + 11) + (4 + 4 + 2 + 4));
}

Test(node_size, chroot_and_name_space)
{
    struct connect_string *servers = NULL;
    cr_assert_eq(connect_string_parse("127.0.0.1:1/chroot", &servers), CURATOR_OK);
    struct node_size size = node_size_below(servers, "name/space");
    cr_assert_eq(size.chroot, strlen("/chroot"));
    cr_assert_eq(size.name_space, strlen("/name/space"));
    connect_string_free(servers);
    cr_assert_eq(connect_string_parse("127.0.0.1:1", &servers), CURATOR_OK);
    size = node_size_below(servers, "");
    cr_assert_eq(size.chroot + size.name_space, 0);
    connect_string_free(servers);
}
