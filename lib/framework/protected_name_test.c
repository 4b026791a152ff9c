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
