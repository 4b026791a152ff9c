/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the version. */
#include <criterion/criterion.h>
#include <curator/curator.h>
#include <stdio.h>

Test(version, is_that_of_the_headers)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", CURATOR_VERSION_MAJOR, CURATOR_VERSION_MINOR,
             CURATOR_VERSION_PATCH);
    cr_assert_str_eq(curator_version(), expected);
}
