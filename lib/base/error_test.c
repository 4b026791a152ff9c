/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of statuses and sentences. */
#include "base/error.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void fill(char *text, size_t length)
{
    memset(text, 'x', length);
    text[length] = '\0';
}

Test(error, has_no_sentence_before_the_first_failure)
{
    cr_assert_str_eq(curator_last_error(), "");
}

Test(error, returns_the_status_and_keeps_the_sentence)
{
    cr_assert_eq(fail(CURATOR_NO_AUTH, "cannot delete %s: %d", "/a", -102), CURATOR_NO_AUTH);
    cr_assert_str_eq(curator_last_error(), "cannot delete /a: -102");
}

Test(error, may_build_a_sentence_on_the_one_before)
{
    fail(CURATOR_ERROR, "the cause");
    fail(CURATOR_ERROR, "%s, %s again", "the effect of it", curator_last_error());
    cr_assert_str_eq(curator_last_error(), "the effect of it, the cause again");
}

Test(error, keeps_the_longest_sentence_that_fits_whole)
{
    char text[1024];
    fill(text, sizeof text - 1);
    fail(CURATOR_ERROR, "%s", text);
    cr_assert_str_eq(curator_last_error(), text);
}

Test(error, cuts_a_sentence_that_is_too_long)
{
    char text[1025];
    fill(text, sizeof text - 1);
    fail(CURATOR_ERROR, "%s", text);
    cr_assert_eq(strlen(curator_last_error()), 1023);
    cr_assert_str_eq(curator_last_error() + 1019, "x...");
}

Test(error, cuts_between_characters_only)
{
    for (size_t before = 1010; before < 1024; before++) {
        char text[1100];
        fill(text, before);
        strcat(text, "\U0001F512\U0001F512\U0001F512\U0001F512");
        fail(CURATOR_ERROR, "%s", text);
        const char *sentence = curator_last_error();
        size_t kept = strlen(sentence) - strlen("...");
        cr_assert_leq(strlen(sentence), 1023);
        cr_assert_str_eq(sentence + kept, "...");
        cr_assert_eq(memcmp(sentence, text, kept), 0);
        cr_assert_eq(kept > before ? (kept - before) % 4 : 0, 0, "%zu bytes kept of %zu", kept, before);
    }
}

Test(error, writes_control_characters_so_that_they_do_no_harm)
{
    fail(CURATOR_ERROR, "%s", "a\nb\x1b[2J\x7f \xc2\x85 \xc3\xa9");
    cr_assert_str_eq(curator_last_error(), "a\\x0ab\\x1b[2J\\x7f \\xc2\\x85 \xc3\xa9");
}

Test(error, writes_line_separators_and_bytes_of_no_character_so_that_they_do_no_harm)
{
    fail(CURATOR_ERROR, "%s",
         "a\xe2\x80\xa8"
         "b\x9b"
         "2J \xe2\x82 \xc0\x8a \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82\xac");
    cr_assert_str_eq(curator_last_error(), "a\\xe2\\x80\\xa8"
                                           "b\\x9b"
                                           "2J \\xe2\\x82 \\xc0\\x8a \\xed\\xa0\\x80 "
                                           "\\xf5\\x80\\x80\\x80 \xe2\x82\xac");
}

Test(error, puts_the_function_called_in_front)
{
    fail(CURATOR_ERROR, "path is NULL");
    cr_assert_eq(fail_in("curator_revoke", CURATOR_NO_AUTH), CURATOR_NO_AUTH);
    cr_assert_str_eq(curator_last_error(), "curator_revoke: path is NULL");
}

Test(error, keeps_room_for_control_characters_at_the_end)
{
    for (size_t before = 1000; before < 1024; before++) {
        for (const char *const *control = (const char *const[]){"\n\n", "\xc2\x85\xc2\x85", NULL}; *control != NULL;
             control++) {
            char text[1100];
            fill(text, before);
            strcat(text, *control);
            fail(CURATOR_ERROR, "%s", text);
            size_t whole = before + 4 * strlen(*control);
            cr_assert_leq(strlen(curator_last_error()), 1023);
            cr_assert_eq(strlen(curator_last_error()) == whole, whole <= 1023);
        }
    }
}

static void *failing_thread(void *sentence)
{
    fail(CURATOR_ERROR, "in another thread");
    snprintf(sentence, 64, "%s", curator_last_error());
    return NULL;
}

Test(error, belongs_to_the_thread)
{
    char sentence[64];
    pthread_t thread;
    fail(CURATOR_ERROR, "in this thread");
    cr_assert_eq(pthread_create(&thread, NULL, failing_thread, sentence), 0);
    pthread_join(thread, NULL);
    cr_assert_str_eq(sentence, "in another thread");
    cr_assert_str_eq(curator_last_error(), "in this thread");
}

Test(error, gives_every_status_its_own_name)
{
    cr_assert_str_eq(curator_status_string(CURATOR_OK), "CURATOR_OK");
    cr_assert_str_eq(curator_status_string(CURATOR_RELEASE_PENDING), "CURATOR_RELEASE_PENDING");
    cr_assert_str_eq(curator_status_string(CURATOR_ERROR), "CURATOR_ERROR");
    for (int left = CURATOR_OK; left <= CURATOR_ERROR; left++) {
        cr_assert_eq(strncmp(curator_status_string((curator_status)left), "CURATOR_", 8), 0);
        for (int right = CURATOR_OK; right < left; right++) {
            cr_assert_str_neq(curator_status_string((curator_status)left),
                              curator_status_string((curator_status)right));
        }
    }
}

Test(error, survives_a_status_that_is_none)
{
    int beyond = CURATOR_ERROR + 1;
    cr_assert_str_eq(curator_status_string((curator_status)beyond), "unknown curator_status");
}
