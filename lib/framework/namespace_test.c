/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the name space. */
#include "framework/namespace.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void assert_fixed(const char *name_space, const char *path, const char *expected)
{
    char *full = namespace_fix(name_space, path);
    cr_assert_str_eq(full, expected);
    cr_assert_str_eq(namespace_unfix(name_space, full), path);
    free(full);
}

Test(namespace, goes_in_front_of_every_path_and_comes_off_again)
{
    assert_fixed("a", "/b", "/a/b");
    assert_fixed("a/b", "/c/d", "/a/b/c/d");
    assert_fixed("a", "/a", "/a/a");
    assert_fixed("a", "/", "/a");
}

Test(namespace, may_be_none)
{
    assert_fixed(NULL, "/b", "/b");
    assert_fixed("", "/b", "/b");
    assert_fixed(NULL, "/", "/");
}

Test(namespace, comes_off_whole_names_only)
{
    cr_assert_str_eq(namespace_unfix("a", "/ab"), "/ab");
    cr_assert_str_eq(namespace_unfix("a", "/ab/c"), "/ab/c");
    cr_assert_str_eq(namespace_unfix("a/b", "/a/bc"), "/a/bc");
    cr_assert_str_eq(namespace_unfix("a/b", "/a"), "/a");
    cr_assert_str_eq(namespace_unfix("a", "/"), "/");
    cr_assert_str_eq(namespace_unfix("a", "/b/a"), "/b/a");
    cr_assert_str_eq(namespace_unfix("a", ""), "");
}

Test(namespace, points_into_the_path_it_was_given)
{
    const char *full = "/a/b";
    cr_assert_eq(namespace_unfix("a", full), full + 2);
}

Test(namespace, is_valid_if_it_makes_a_valid_path)
{
    cr_assert_eq(namespace_validate(NULL), CURATOR_OK);
    cr_assert_eq(namespace_validate(""), CURATOR_OK);
    cr_assert_eq(namespace_validate("a"), CURATOR_OK);
    cr_assert_eq(namespace_validate("a/b"), CURATOR_OK);
}

static void assert_refused(const char *name_space, const char *reason)
{
    cr_assert_eq(namespace_validate(name_space), CURATOR_INVALID_ARGUMENT);
    cr_assert_eq(strncmp(curator_last_error(), "the name space cannot be used: path \"/", 37), 0);
    cr_assert(strstr(curator_last_error(), reason) != NULL, "%s", curator_last_error());
    cr_assert(strstr(curator_last_error(), name_space) != NULL, "%s", curator_last_error());
}

Test(namespace, is_named_when_it_is_refused)
{
    assert_refused("a//b", "empty node name at 3");
    assert_refused("/a", "empty node name at 1");
    assert_refused("a/", "trailing slash at 2");
    assert_refused("..", "relative node name at 2");
}
