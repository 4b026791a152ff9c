/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the random UUIDs. */
#include "base/uuid.h"

#include <criterion/criterion.h>
#include <string.h>

Test(uuid, is_a_version_4_uuid_in_lower_case)
{
    bool variants[256] = {false};
    for (int round = 0; round < 1000; round++) {
        char uuid[UUID_LENGTH + 1];
        memset(uuid, 'x', sizeof uuid);
        cr_assert(uuid_random(uuid));
        cr_assert_eq(strlen(uuid), UUID_LENGTH);
        for (size_t i = 0; i < UUID_LENGTH; i++) {
            bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
            cr_assert(strchr(hyphen ? "-" : "0123456789abcdef", uuid[i]) != NULL, "%s", uuid);
        }
        cr_assert_eq(uuid[14], '4');
        cr_assert(strchr("89ab", uuid[19]) != NULL, "%s", uuid);
        variants[(unsigned char)uuid[19]] = true;
    }
    cr_assert(variants['8'] && variants['9'] && variants['a'] && variants['b']);
}

Test(uuid, is_never_the_same_twice)
{
    static char uuids[1000][UUID_LENGTH + 1];
    for (size_t i = 0; i < 1000; i++) {
        cr_assert(uuid_random(uuids[i]));
        for (size_t j = 0; j < i; j++) {
            cr_assert_str_neq(uuids[i], uuids[j]);
        }
    }
}
