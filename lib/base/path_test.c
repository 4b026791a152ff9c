/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the rules for paths: Java's, to the character. */
#include "base/path.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void assert_valid(const char *path)
{
    cr_assert_eq(path_validate(path), CURATOR_OK, "%s", curator_last_error());
}

static void assert_refused(const char *path, const char *sentence)
{
    cr_assert_eq(path_validate(path), CURATOR_INVALID_ARGUMENT);
    cr_assert_str_eq(curator_last_error(), sentence);
}

Test(path_utils, accepts_ordinary_paths)
{
    assert_valid("/");
    assert_valid("/a");
    assert_valid("/a/b/lock-0000000001");
    assert_valid("/a b/-/_/~/\"");
    assert_valid("/caf\xc3\xa9/\xe4\xb8\xad");
}

Test(path_utils, refuses_no_path_at_all)
{
    assert_refused(NULL, "path is NULL");
    assert_refused("", "path \"\" is not valid: it is empty");
}

Test(path_utils, names_the_position_of_a_missing_and_of_a_trailing_slash)
{
    assert_refused("a/b", "path \"a/b\" is not valid: missing slash at 0");
    assert_refused("/a/", "path \"/a/\" is not valid: trailing slash at 2");
    assert_refused("//", "path \"//\" is not valid: trailing slash at 1");
}

Test(path_utils, tells_of_a_trailing_slash_before_anything_else)
{
    assert_refused("/a//b/../", "path \"/a//b/../\" is not valid: trailing slash at 8");
}

Test(path_utils, names_the_rule_and_the_position_of_a_double_slash)
{
    assert_refused("/a//b", "path \"/a//b\" is not valid: empty node name at 3");
    assert_refused("//b", "path \"//b\" is not valid: empty node name at 1");
}

Test(path_utils, refuses_relative_names)
{
    assert_refused("/.", "path \"/.\" is not valid: relative node name at 1");
    assert_refused("/..", "path \"/..\" is not valid: relative node name at 2");
    assert_refused("/a/./b", "path \"/a/./b\" is not valid: relative node name at 3");
    assert_refused("/a/../b", "path \"/a/../b\" is not valid: relative node name at 4");
}

Test(path_utils, accepts_dots_within_names)
{
    assert_valid("/.a");
    assert_valid("/a.");
    assert_valid("/..a");
    assert_valid("/a..");
    assert_valid("/...");
    assert_valid("/a.b/c..d/.../e");
}

Test(path_utils, draws_the_ranges_where_java_draws_them)
{
    static const struct {
        const char *path;
        const char *refused; /* the end of the sentence; NULL: valid */
    } cases[] = {
        {"/\x01", "U+0001 at 1"},
        {"/\x1e", "U+001E at 1"},
        {"/\x1f", NULL},
        {"/\x7f", NULL},
        {"/\xc2\x80", "U+0080 at 1"},
        {"/\xc2\x9e", "U+009E at 1"},
        {"/\xc2\x9f", NULL},
        {"/\u00a0", NULL},
        {"/\ud7ff", NULL},
        {"/\ue000", "U+E000 at 1"},
        {"/\uf8fe", "U+F8FE at 1"},
        {"/\uf8ff", NULL},
        {"/\uf900", NULL},
        {"/\ufff0", NULL},
        {"/\ufff1", "U+FFF1 at 1"},
        {"/\ufffe", "U+FFFE at 1"},
        {"/\uffff", NULL},
        {"/a\nb", "U+000A at 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        curator_status status = path_validate(cases[i].path);
        cr_assert_eq(status, cases[i].refused == NULL ? CURATOR_OK : CURATOR_INVALID_ARGUMENT, "case %zu", i);
        if (cases[i].refused != NULL) {
            const char *end = strstr(curator_last_error(), "invalid character ");
            cr_assert(end != NULL && strcmp(end + strlen("invalid character "), cases[i].refused) == 0, "case %zu: %s",
                      i, curator_last_error());
        }
    }
}

Test(path_utils, refuses_the_surrogate_at_which_java_would_stop)
{
    assert_refused("/a\U00010000", "path \"/a\U00010000\" is not valid: invalid character U+10000 at 3");
    assert_refused("/a\U000103ff", "path \"/a\U000103ff\" is not valid: invalid character U+103FF at 3");
    assert_refused("/a\U00010400", "path \"/a\U00010400\" is not valid: invalid character U+10400 at 2");
    assert_refused("/a\U0010ffff", "path \"/a\U0010ffff\" is not valid: invalid character U+10FFFF at 2");
}

Test(path_utils, counts_positions_as_java_does)
{
    assert_refused("/\u00e9\u4e2d//", "path \"/\u00e9\u4e2d//\" is not valid: trailing slash at 4");
    assert_refused("/\u00e9\u4e2d//b", "path \"/\u00e9\u4e2d//b\" is not valid: empty node name at 4");
    assert_refused("/\U0001F512/", "path \"/\U0001F512/\" is not valid: trailing slash at 3");
}

Test(path_utils, refuses_invalid_utf8_by_its_byte)
{
    assert_refused("/\u00e9\xff/b", "path \"/\u00e9...\" is not valid: invalid UTF-8 (0xff) at byte 3");
    static const char *const invalid[] = {
        "\x80",             /* a continuation without a lead */
        "\xc3",             /* cut short by the end */
        "\xe4\xb8/",        /* cut short by another character */
        "\xf0\x9f\x94",     /* cut short */
        "\xc0\xaf",         /* a slash in two bytes */
        "\xc0\x80",         /* NUL as Java's modified UTF-8 has it */
        "\xe0\x80\xaf",     /* a slash in three bytes */
        "\xf0\x80\x80\xaf", /* a slash in four bytes */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xf8\x88\x80\x80\x80",
        "\xfe",
    };
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        char path[16] = "/a";
        strcat(path, invalid[i]);
        cr_assert_eq(path_validate(path), CURATOR_INVALID_ARGUMENT, "case %zu", i);
        cr_assert(strstr(curator_last_error(), "invalid UTF-8") != NULL, "case %zu", i);
        cr_assert(strstr(curator_last_error(), "at byte 2") != NULL, "case %zu", i);
    }
}

Test(path_utils, shows_control_characters_escaped)
{
    assert_refused("/a\nb//c", "path \"/a\\x0ab//c\" is not valid: invalid character U+000A at 2");
    assert_refused("/\xc2\x85", "path \"/\\xc2\\x85\" is not valid: invalid character U+0085 at 1");
}

Test(path_utils, names_the_reason_even_of_a_very_long_path)
{
    size_t length = 100000;
    char *path = malloc(length + 2);
    cr_assert_not_null(path);
    for (int fill = 0; fill < 2; fill++) {
        memset(path, fill == 0 ? 'x' : '\n', length);
        path[0] = '/';
        strcpy(path + length, "/");
        cr_assert_eq(path_validate(path), CURATOR_INVALID_ARGUMENT);
        cr_assert(strstr(curator_last_error(), "...\" is not valid: trailing slash at 100000") != NULL, "%s",
                  curator_last_error());
    }
    free(path);
}

Test(path_utils, shortens_a_long_path_between_characters)
{
    for (size_t before = 190; before < 210; before++) {
        char path[512] = "/";
        memset(path + 1, 'x', before);
        strcpy(path + 1 + before, "\u4e2d\u4e2d\u4e2d\u4e2d//");
        cr_assert_eq(path_validate(path), CURATOR_INVALID_ARGUMENT);
        const char *dots = strstr(curator_last_error(), "...");
        if (dots != NULL) {
            size_t kept = (size_t)(dots - curator_last_error()) - strlen("path \"");
            cr_assert(kept <= 1 + before || (kept - 1 - before) % 3 == 0);
        }
    }
}

Test(path, joins_a_parent_and_a_name)
{
    char *path = path_join("/locks/a", "_c_x");
    cr_assert_str_eq(path, "/locks/a/_c_x");
    free(path);
}
