/* SPDX-License-Identifier: Apache-2.0 */
#include "framework/protected_name.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define UUID "01234567-89ab-4cde-8f01-23456789abcd"

Test(protected_name, is_what_curator_writes)
{
    char *path = protected_name_path("/locks/a", UUID, "lock-");
    cr_assert_str_eq(path, "/locks/a/_c_" UUID "-lock-");
    free(path);
}

Test(protected_name, is_found_by_its_uuid_only)
{
    cr_assert(protected_name_has_uuid("_c_" UUID "-lock-0000000007", UUID));
    cr_assert(protected_name_has_uuid("_c_" UUID "-", UUID));
    cr_assert_not(protected_name_has_uuid("_c_11234567-89ab-4cde-8f01-23456789abcd-lock-0000000007", UUID));
    cr_assert_not(protected_name_has_uuid("_d_" UUID "-lock-0000000007", UUID));
    cr_assert_not(protected_name_has_uuid("_c_" UUID, UUID));
    cr_assert_not(protected_name_has_uuid("_c_0123", UUID));
    cr_assert_not(protected_name_has_uuid("", UUID));
}

/* ZOOKEEPER-1027, ZOOKEEPER-2282: a path with the chroot in front, or cut short, is not the node's. */
Test(protected_name, of_a_created_node_is_the_name_asked_for_and_a_sequence)
{
    cr_assert(protected_name_is_created("/a/_c_x-lock-0000000007", "/a/_c_x-lock-", true));
    cr_assert(protected_name_is_created("/a/_c_x-lock--2147483648", "/a/_c_x-lock-", true));
    cr_assert_not(protected_name_is_created("/a/_c_x-lock-", "/a/_c_x-lock-", true));
    cr_assert_not(protected_name_is_created("/a/_c_x-lock--", "/a/_c_x-lock-", true));
    cr_assert_not(protected_name_is_created("/a/_c_x-lock-0000000007x", "/a/_c_x-lock-", true));
    cr_assert_not(protected_name_is_created("/a/_c_x-lo", "/a/_c_x-lock-", true));
    cr_assert_not(protected_name_is_created("/chroot/a/_c_x-lock-0000000007", "/a/_c_x-lock-", true));
    cr_assert(protected_name_is_created("/a/_c_x-lock-0000000007", "/a/_c_x-lock-0000000007", false));
    cr_assert_not(protected_name_is_created("/a/_c_x-lock-00000000071", "/a/_c_x-lock-0000000007", false));
}
