/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of who owns the lock and who waits for whom. */
#include "locks/lock_driver.h"

#include "locks/node_name.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define UUID_F "_c_ffffffff-ffff-4fff-bfff-ffffffffffff-"
#define UUID_0 "_c_00000000-0000-4000-8000-000000000000-"

static void assert_owns(const char *const *children, size_t count, const char *own_name)
{
    struct lock_position position = lock_driver_position(&lock_driver_mutex, children, count, own_name);
    cr_assert(position.found);
    cr_assert_eq(position.index, 0);
    cr_assert_null(position.predecessor);
}

static void assert_waits(const char *const *children, size_t count, const char *own_name, size_t index,
                         const char *predecessor)
{
    struct lock_position position = lock_driver_position(&lock_driver_mutex, children, count, own_name);
    cr_assert(position.found);
    cr_assert_eq(position.index, index, "%zu", position.index);
    cr_assert_str_eq(position.predecessor, predecessor);
}

static void assert_sorted(const char *const *children, size_t count, const char *const *expected)
{
    const char *sorted[64];
    cr_assert_leq(count, COUNT(sorted));
    memcpy(sorted, children, count * sizeof *sorted);
    cr_assert(lock_driver_sort(&lock_driver_mutex, sorted, count));
    for (size_t i = 0; i < count; i++) {
        cr_assert_str_eq(sorted[i], expected[i]);
    }
}

Test(lock_driver, gives_the_lock_to_the_first)
{
    static const char *const children[] = {"lock-0000000002", "lock-0000000001", "lock-0000000003"};
    assert_owns(children, COUNT(children), "lock-0000000001");
    assert_owns(children, 1, "lock-0000000002");
}

Test(lock_driver, lets_everyone_else_wait_for_the_one_right_before)
{
    static const char *const children[] = {"lock-0000000004", "lock-0000000001", "lock-0000000003", "lock-0000000002"};
    assert_waits(children, COUNT(children), "lock-0000000002", 1, "lock-0000000001");
    assert_waits(children, COUNT(children), "lock-0000000004", 3, "lock-0000000003");
}

Test(lock_driver, hands_out_the_predecessor_from_the_list_given)
{
    static const char *const children[] = {"lock-0000000002", "lock-0000000001"};
    cr_assert_eq(lock_driver_position(&lock_driver_mutex, children, 2, "lock-0000000002").predecessor, children[1]);
}

Test(lock_driver, does_not_find_a_node_that_is_not_listed)
{
    static const char *const children[] = {"lock-0000000002", "lock-0000000001"};
    cr_assert(!lock_driver_position(&lock_driver_mutex, children, 2, "lock-0000000003").found);
    cr_assert(!lock_driver_position(&lock_driver_mutex, children, 2, UUID_0 "lock-0000000001").found);
    cr_assert(!lock_driver_position(&lock_driver_mutex, NULL, 0, "lock-0000000003").found);
}

/* ZOOKEEPER-2931, ZOOKEEPER-3162. */
Test(lock_driver, order_by_sequence_only)
{
    static const char *const children[] = {UUID_0 "lock-0000000001", UUID_F "lock-0000000000"};
    static const char *const sorted[] = {UUID_F "lock-0000000000", UUID_0 "lock-0000000001"};
    assert_owns(children, 2, UUID_F "lock-0000000000");
    assert_waits(children, 2, UUID_0 "lock-0000000001", 1, UUID_F "lock-0000000000");
    assert_sorted(children, 2, sorted);
}

/* The order a Java peer sees once the counter has wrapped, and no better one. */
Test(lock_driver, sequence_wraps_negative)
{
    static const char *const children[] = {"lock-2147483646",  "lock-2147483647", "lock--2147483648",
                                           "lock--2147483647", "lock--000000001", "lock-0000000000"};
    static const char *const sorted[] = {"lock--000000001", "lock--2147483647", "lock--2147483648",
                                         "lock-0000000000", "lock-2147483646",  "lock-2147483647"};
    assert_sorted(children, COUNT(children), sorted);
    assert_owns(children, 4, "lock--2147483647");
}

/* CURATOR-43: what a Java peer counts, we count. */
Test(lock_driver, foreign_children)
{
    static char long_name[4097];
    memset(long_name, 'y', sizeof long_name - 1);
    const char *const children[] = {"zzz",  "0",       "config", UUID_0 "lock-0000000005", "lock-", "lock-abc", "x",
                                    "lock", long_name, "LOCK-1"};
    const char *const sorted[] = {
        "lock-", "0", UUID_0 "lock-0000000005", "LOCK-1", "lock-abc", "config", "lock", "x", long_name, "zzz"};
    assert_sorted(children, COUNT(children), sorted);
    assert_waits(children, COUNT(children), UUID_0 "lock-0000000005", 2, "0");
    assert_waits(children, COUNT(children), "zzz", 9, long_name);
    assert_owns(children, COUNT(children), "lock-");
}

Test(lock_driver, keeps_the_given_order_of_equal_sequences)
{
    static const char *const children[] = {"b-lock-1", "a-lock-1", "c-lock-1", "1", "d-lock-0"};
    static const char *const sorted[] = {"d-lock-0", "b-lock-1", "a-lock-1", "c-lock-1", "1"};
    assert_sorted(children, COUNT(children), sorted);
    assert_waits(children, COUNT(children), "b-lock-1", 1, "d-lock-0");
    assert_waits(children, COUNT(children), "a-lock-1", 2, "b-lock-1");
    assert_waits(children, COUNT(children), "1", 4, "c-lock-1");
}

Test(lock_driver, sorts_nothing_at_all)
{
    cr_assert(lock_driver_sort(&lock_driver_mutex, NULL, 0));
}

Test(lock_driver, sorts_leases_by_sequence)
{
    static const char *const children[] = {
        "_c_ffffffff-0000-4000-8000-000000000000-lease-0000000001",
        "_c_00000000-0000-4000-8000-000000000000-lease-0000000002",
        "_c_aaaaaaaa-0000-4000-8000-000000000000-lease-0000000000",
    };
    const char *sorted[3];
    memcpy(sorted, children, sizeof sorted);
    cr_assert(lock_driver_sort(&lock_driver_lease, sorted, 3));
    cr_assert_eq(sorted[0], children[2]);
    cr_assert_eq(sorted[1], children[0]);
    cr_assert_eq(sorted[2], children[1]);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Few different names, so that ties are frequent; no two children are the same. */
static size_t random_children(uint32_t *state, char names[][80], const char **children)
{
    static const struct {
        const char *before, *between;
        int width;
    } shapes[] = {{"_c_", "-lock-", 10}, {"_c_", "-__READ__", 10},        {"", "-lock-", 1},     {"", "", 1},
                  {"lock-", "-", 1},     {"caf\u00e9", "\ue000lock-", 1}, {"", "\U0001F512", 1}, {"\ue000", "", 1}};
    size_t wanted = next_random(state) % 24;
    size_t count = 0;
    for (size_t i = 0; i < wanted; i++) {
        int sequence = (int)(next_random(state) % 7) - 3;
        unsigned tag = next_random(state) % 4;
        size_t shape = next_random(state) % COUNT(shapes);
        if (next_random(state) % 8 == 0) {
            sequence = sequence < 0 ? INT32_MIN - sequence - 1 : INT32_MAX - sequence;
        }
        snprintf(names[count], 80, "%s%u%s%0*d", shapes[shape].before, tag, shapes[shape].between, shapes[shape].width,
                 sequence);
        bool fresh = true;
        for (size_t j = 0; j < count; j++) {
            fresh = fresh && strcmp(names[j], names[count]) != 0;
        }
        children[count] = names[count];
        count += fresh;
    }
    return count;
}

/* The order by the simplest stable sort there is. */
static void insertion_sort(const char **children, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const char *child = children[i];
        const char *key = node_name_sort_key(child, "lock-");
        size_t j = i;
        for (; j > 0 && node_name_compare(node_name_sort_key(children[j - 1], "lock-"), key) > 0; j--) {
            children[j] = children[j - 1];
        }
        children[j] = child;
    }
}

Test(lock_driver, finds_the_place_that_sorting_gives)
{
    uint32_t state = 20240607;
    for (int round = 0; round < 20000; round++) {
        char names[24][80];
        const char *children[24];
        const char *sorted[24];
        const char *expected[24];
        size_t count = random_children(&state, names, children);
        memcpy(sorted, children, sizeof children);
        memcpy(expected, children, sizeof children);
        cr_assert(lock_driver_sort(&lock_driver_mutex, sorted, count));
        insertion_sort(expected, count);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(sorted[i], expected[i]);
            struct lock_position position = lock_driver_position(&lock_driver_mutex, children, count, sorted[i]);
            cr_assert(position.found);
            cr_assert_eq(position.index, i);
            cr_assert_eq(position.predecessor, i > 0 ? sorted[i - 1] : NULL);
        }
    }
}

#define READER(uuid, sequence) uuid "__READ__" sequence
#define WRITER(uuid, sequence) uuid "__WRIT__" sequence

static struct lock_position reader_position(const char *const *children, size_t count, const char *own_name)
{
    return lock_driver_position(&lock_driver_read, children, count, own_name);
}

static struct lock_position writer_position(const char *const *children, size_t count, const char *own_name)
{
    return lock_driver_position(&lock_driver_write, children, count, own_name);
}

Test(lock_driver, readers_before_every_writer_own_together)
{
    static const char *const children[] = {READER(UUID_F, "0000000000"), READER(UUID_0, "0000000001"),
                                           WRITER(UUID_0, "0000000002"), READER(UUID_0, "0000000003")};
    cr_assert_eq(reader_position(children, 4, children[0]).index, 0);
    cr_assert_eq(reader_position(children, 4, children[1]).index, 0);
    cr_assert_eq(writer_position(children, 4, children[2]).index, 2);
    cr_assert_str_eq(writer_position(children, 4, children[2]).predecessor, children[1]);
    cr_assert_str_eq(reader_position(children, 4, children[3]).predecessor, children[2]);
}

/* kazoo#649. */
Test(lock_driver, reader_ignores_later_writers)
{
    static const char *const children[] = {WRITER(UUID_0, "0000000005"), READER(UUID_F, "0000000004")};
    cr_assert_eq(reader_position(children, 2, children[1]).index, 0);
    cr_assert_str_eq(writer_position(children, 2, children[0]).predecessor, children[1]);
}

Test(lock_driver, a_reader_waits_for_the_nearest_writer_before_it)
{
    static const char *const children[] = {WRITER(UUID_F, "0000000003"), READER(UUID_0, "0000000009"),
                                           WRITER(UUID_0, "0000000007"), READER(UUID_0, "0000000008"),
                                           WRITER(UUID_0, "0000000001")};
    struct lock_position position = reader_position(children, 5, children[1]);
    cr_assert_eq(position.index, 3);
    cr_assert_str_eq(position.predecessor, children[2]);
}

/* CURATOR-621. */
Test(lock_driver, downgrade_blocks_queued_writer)
{
    static const char *const children[] = {WRITER(UUID_0, "0000000006"), READER(UUID_F, "0000000005")};
    struct lock_position position = writer_position(children, 2, children[0]);
    cr_assert_eq(position.index, 1);
    cr_assert_str_eq(position.predecessor, children[1]);
}

/* CURATOR-211, CURATOR-307. */
Test(lock_driver, own_read_node_vanished)
{
    static const char *const children[] = {WRITER(UUID_0, "0000000006")};
    cr_assert_not(reader_position(children, 1, READER(UUID_F, "0000000007")).found);
    cr_assert_not(reader_position(NULL, 0, READER(UUID_F, "0000000007")).found);
}

Test(lock_driver, read_and_write_nodes_sort_by_sequence_with_either_marker_removed)
{
    static const char *const children[] = {WRITER(UUID_0, "0000000002"), READER(UUID_F, "0000000003"),
                                           WRITER(UUID_F, "0000000001"), READER(UUID_0, "0000000000")};
    const char *sorted[4];
    memcpy(sorted, children, sizeof sorted);
    cr_assert(lock_driver_sort(&lock_driver_read, sorted, 4));
    cr_assert_eq(sorted[0], children[3]);
    cr_assert_eq(sorted[1], children[2]);
    cr_assert_eq(sorted[2], children[0]);
    cr_assert_eq(sorted[3], children[1]);
    cr_assert_str_eq(lock_driver_sort_key(&lock_driver_write, "/locks/a/" WRITER(UUID_0, "0000000002")), "0000000002");
}

Test(lock_driver, names_the_one_before_the_predecessor_too)
{
    static const char *const children[] = {"lock-0000000004", "lock-0000000001", "lock-0000000003", "lock-0000000002"};
    static const char *const falling[] = {"lock-0000000004", "lock-0000000003", "lock-0000000002", "lock-0000000001"};
    struct lock_position position = lock_driver_position(&lock_driver_mutex, children, 4, "lock-0000000004");
    cr_assert_str_eq(position.ahead, "lock-0000000002");
    position = lock_driver_position(&lock_driver_mutex, children, 4, "lock-0000000003");
    cr_assert_str_eq(position.ahead, "lock-0000000001");
    position = lock_driver_position(&lock_driver_mutex, falling, 4, "lock-0000000004");
    cr_assert_str_eq(position.ahead, "lock-0000000002");
    position = lock_driver_position(&lock_driver_mutex, children, 4, "lock-0000000002");
    cr_assert_null(position.ahead);
    position = lock_driver_position(&lock_driver_mutex, children, 4, "lock-0000000001");
    cr_assert_null(position.ahead);
}

Test(lock_driver, finds_a_child_that_another_recipe_made)
{
    const char *const mutexes[] = {"_c_6b0f-lock-0000000001", "lock-0000000002", "notes", "-__READ__", ""};
    const char *const reads[] = {"_c_6b0f-__READ__0000000003"};
    const char *const writes[] = {"notes", "_c_6b0f-__WRIT__0000000004"};
    cr_assert_null(lock_driver_other_kind(&lock_driver_mutex, mutexes, 5));
    cr_assert_eq(lock_driver_other_kind(&lock_driver_mutex, reads, 1), reads[0]);
    cr_assert_eq(lock_driver_other_kind(&lock_driver_mutex, writes, 2), writes[1]);
    cr_assert_eq(lock_driver_other_kind(&lock_driver_read, mutexes, 5), mutexes[0]);
    cr_assert_eq(lock_driver_other_kind(&lock_driver_write, mutexes + 1, 4), mutexes[1]);
    cr_assert_null(lock_driver_other_kind(&lock_driver_read, reads, 1));
    cr_assert_null(lock_driver_other_kind(&lock_driver_read, writes, 2));
    cr_assert_null(lock_driver_other_kind(&lock_driver_write, reads, 1));
    cr_assert_null(lock_driver_other_kind(&lock_driver_write, NULL, 0));
}
