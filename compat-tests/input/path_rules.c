/* SPDX-License-Identifier: Apache-2.0 */
/* Curator's path validation: each rule, and the position the sentence must name. Nothing listens on the server. */
#include "scenario.h"

struct rule {
    const char *path;
    const char *reason; /* and the position, in the words of the sentence */
};

static const struct rule refused[] = {
    {"", "empty"},
    {"a", "missing slash at 0"},
    {"a/b", "missing slash at 0"},
    {"/a/", "trailing slash at 2"},
    {"//", "trailing slash at 1"},
    {"//a", "empty node name at 1"},
    {"/a//b", "empty node name at 3"},
    {"/.", "relative node name at 1"},
    {"/..", "relative node name at 2"},
    {"/./a", "relative node name at 1"},
    {"/../a", "relative node name at 2"},
    {"/a/.", "relative node name at 3"},
    {"/a/./b", "relative node name at 3"},
    {"/a/..", "relative node name at 4"},
    {"/a/../b", "relative node name at 4"},
    {"/a\x01", "invalid character U+0001 at 2"},
    {"/abc\n/d", "invalid character U+000A at 4"},
    {"/\xc3\xa9\xc2\x80", "invalid character U+0080 at 2"}, /* after U+00E9: positions count characters */
    {"/a\xee\x80\x80", "invalid character U+E000 at 2"},
    {"/a\xf0\x9f\x94\x92", "invalid character U+1F512 at 2"}, /* in Java, two surrogates */
};

static const char *const accepted[] = {
    "/a",
    "/a/b",
    "/...",
    "/a/...",
    "/.a",
    "/a.",
    "/..a",
    "/a..b/c",
    "/ ",
    "/a b",
    "/%",
    "/a/~",
    "/\xc3\xa9",     /* U+00E9 */
    "/\xe6\xbc\xa2", /* U+6F22 */
};

int main(int argc, char **argv)
{
    curator_framework *client = NULL;
    curator_mutex *mutex = NULL;
    curator_framework_options options = {.connect_string = scenario_argument(argc, argv, 1)};
    assert_ok(curator_framework_open(&client, &options));
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        printf("refused: \"%s\"\n", refused[i].path);
        fflush(stdout);
        assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_create(&mutex, client, refused[i].path));
        assert_that(mutex == NULL);
        printf("  %s\n", curator_last_error());
        fflush(stdout);
        assert_error_mentions(refused[i].reason);
    }
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_create(&mutex, client, "/"));
    assert_error_mentions("\"/\"");
    for (size_t i = 0; i < sizeof(accepted) / sizeof(*accepted); i++) {
        printf("accepted: \"%s\"\n", accepted[i]);
        fflush(stdout);
        assert_ok(curator_mutex_create(&mutex, client, accepted[i]));
        assert_ok(curator_mutex_destroy(mutex));
    }
    assert_ok(curator_framework_close(client));
    return 0;
}
