/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <curator/curator.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(process_identity, names_host_process_and_program)
{
    char host[256] = "";
    cr_assert_eq(gethostname(host, sizeof host - 1), 0);
    char expected[512];
    snprintf(expected, sizeof expected, "%s/%ld/%s", host, (long)getpid(), program_invocation_short_name);
    char *identity;
    cr_assert_eq(curator_process_identity(&identity, NULL), CURATOR_OK);
    cr_assert_str_eq(identity, expected);
    free(identity);
}

Test(process_identity, wants_a_place_for_the_result)
{
    cr_assert_eq(curator_process_identity(NULL, NULL), CURATOR_INVALID_ARGUMENT);
}

Test(process_identity, names_another_program_by_the_last_part_of_its_path)
{
    char *identity;
    cr_assert_eq(curator_process_identity(&identity, "/usr/bin/nightly-report"), CURATOR_OK);
    cr_assert_str_eq(strrchr(identity, '/'), "/nightly-report");
    free(identity);
}
