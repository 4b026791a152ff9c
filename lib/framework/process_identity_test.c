/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <curator/curator.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

Test(process_identity, names_host_process_and_program)
{
    char host[256] = "";
    cr_assert_eq(gethostname(host, sizeof host - 1), 0);
    char expected[512];
    snprintf(expected, sizeof expected, "%s/%ld/%s", host, (long)getpid(), program_invocation_short_name);
    char *identity;
    cr_assert_eq(curator_process_identity(&identity), CURATOR_OK);
    cr_assert_str_eq(identity, expected);
    free(identity);
}

Test(process_identity, wants_a_place_for_the_result)
{
    cr_assert_eq(curator_process_identity(NULL), CURATOR_INVALID_ARGUMENT);
}
