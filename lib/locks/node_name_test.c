/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the lock nodes' names and their order. */
#include "locks/node_name.h"

#include <criterion/criterion.h>

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* Names in ascending order. */
static void assert_ascending(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            cr_assert_eq(sign(node_name_compare(names[i], names[j])), sign((int)i - (int)j), "%zu and %zu", i, j);
        }
    }
}

Test(node_name, sorts_by_what_follows_the_lock_name)
{
    cr_assert_str_eq(node_name_sort_key("_c_53345f98-9423-4e0c-a7b5-9f819e3ec2e1-lock-0000000007", "lock-"),
                     "0000000007");
    cr_assert_str_eq(node_name_sort_key("lock-0000000007", "lock-"), "0000000007");
    cr_assert_str_eq(node_name_sort_key("lock-", "lock-"), "");
}

Test(node_name, takes_the_last_occurrence_of_the_lock_name)
{
    cr_assert_str_eq(node_name_sort_key("lock-1-lock-2", "lock-"), "2");
    cr_assert_str_eq(node_name_sort_key("aaa", "aa"), "");
    cr_assert_str_eq(node_name_sort_key("aaab", "aa"), "b");
    cr_assert_str_eq(node_name_sort_key("abc", ""), "");
}

Test(node_name, sorts_a_foreign_name_by_all_of_it)
{
    cr_assert_str_eq(node_name_sort_key("config", "lock-"), "config");
    cr_assert_str_eq(node_name_sort_key("lock", "lock-"), "lock");
    cr_assert_str_eq(node_name_sort_key("Lock-1", "lock-"), "Lock-1");
    cr_assert_str_eq(node_name_sort_key("", "lock-"), "");
}

Test(node_name, points_into_the_name_it_was_given)
{
    const char *name = "lock-1";
    cr_assert_eq(node_name_sort_key(name, "lock-"), name + 5);
    cr_assert_eq(node_name_sort_key(name, "__READ__"), name);
}

Test(node_name, compares_as_java_compares_strings)
{
    static const char *const names[] = {
        "",           "-2147483648", "0000000000", "0000000001", "0000000001x", "0000000002", "2147483647",
        "A",          "a",           "\x7f",       "\xc2\x80",   "\u07ff",      "\u0800",     "\ud7ff",
        "\U00010000", "\U0001F512",  "\U0010ffff", "\ue000",     "\ufeff",      "\uffff",     "\uffff\uffff"};
    assert_ascending(names, sizeof names / sizeof *names);
}

Test(node_name, compares_within_characters_as_java_does)
{
    static const char *const names[] = {"x\u4e2d\U0001F511z", "x\u4e2d\U0001F512a", "x\u4e2d\ue000", "x\u4e2d\ue001"};
    assert_ascending(names, sizeof names / sizeof *names);
}

/* ZOOKEEPER-4706, kazoo#606. */
Test(node_name, sequence_wraps_negative)
{
    cr_assert(node_name_sequence_wrapped("_c_53345f98-9423-4e0c-a7b5-9f819e3ec2e1-lock--2147483648", "lock-"));
    cr_assert(node_name_sequence_wrapped("_c_53345f98-9423-4e0c-a7b5-9f819e3ec2e1-lock--000000001", "lock-"));
    cr_assert(node_name_sequence_wrapped("_c_53345f98-9423-4e0c-a7b5-9f819e3ec2e1-__READ__-2147483647", "__READ__"));
    cr_assert(!node_name_sequence_wrapped("_c_53345f98-9423-4e0c-a7b5-9f819e3ec2e1-lock-2147483647", "lock-"));
    cr_assert(!node_name_sequence_wrapped("_c_53345f98-9423-4e0c-a7b5-9f819e3ec2e1-lock-", "lock-"));
    cr_assert(!node_name_sequence_wrapped("lock--", "lock-"));
    cr_assert(!node_name_sequence_wrapped("lock--12x", "lock-"));
    cr_assert(!node_name_sequence_wrapped("-2147483648", "lock-"));
}
