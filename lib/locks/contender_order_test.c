/* SPDX-License-Identifier: Apache-2.0 */
#include "locks/contender_order.h"

#include <criterion/criterion.h>

#define READER(sequence) "_c_5f0c2b8e-0000-4000-8000-00000000000" sequence "-__READ__000000000" sequence
#define WRITER(sequence) "_c_5f0c2b8e-0000-4000-8000-00000000000" sequence "-__WRIT__000000000" sequence
#define MUTEX(sequence) "_c_5f0c2b8e-0000-4000-8000-00000000000" sequence "-lock-000000000" sequence

static void assert_holders(const struct lock_driver *driver, const char **names, size_t count, const char *expected)
{
    bool holds[8];
    cr_assert(contender_sort(driver, names, count));
    contender_find_holders(driver, names, count, holds);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(holds[i], expected[i] == 'h', "%zu: %s", i, names[i]);
    }
}

Test(contender_order, kind_is_what_the_name_contains)
{
    cr_assert_eq(contender_kind(READER("1")), LOCK_READ);
    cr_assert_eq(contender_kind(WRITER("1")), LOCK_WRITE);
    cr_assert_eq(contender_kind(MUTEX("1")), LOCK_MUTEX);
    cr_assert_eq(contender_kind("04c1fae4__lock__0000000003"), LOCK_MUTEX);
}

Test(contender_order, the_first_holds_a_mutex_whoever_made_it)
{
    const char *names[] = {MUTEX("3"), MUTEX("2"), "0-made-by-hand"};
    assert_holders(&lock_driver_mutex, names, 3, "hww");
    cr_assert_str_eq(names[0], "0-made-by-hand");
    cr_assert_str_eq(names[1], MUTEX("2"));
    const char *sides[] = {READER("1"), READER("2")}; /* on a mutex's path */
    assert_holders(&lock_driver_mutex, sides, 2, "hw");
}

Test(contender_order, readers_hold_together_until_a_writer_comes)
{
    const char *names[] = {READER("4"), WRITER("3"), READER("2"), READER("1"), WRITER("5")};
    assert_holders(&lock_driver_read, names, 5, "hhwww");
    cr_assert_str_eq(names[2], WRITER("3"));
}

Test(contender_order, a_writer_holds_alone)
{
    const char *names[] = {WRITER("1"), WRITER("2"), READER("3")};
    assert_holders(&lock_driver_write, names, 3, "hww");
}

Test(contender_order, a_reader_under_its_own_write_lock_holds_with_it)
{
    const char *names[] = {WRITER("2"), "_c_7-__READ__0000000001", WRITER("1"), READER("3")};
    assert_holders(&lock_driver_write, names, 4, "hhww");
    cr_assert_str_eq(names[0], WRITER("1"), "the writer first, in whatever order the server lists them");
    const char *waiting[] = {READER("1"), "_c_7-__READ__0000000002", WRITER("2")};
    assert_holders(&lock_driver_read, waiting, 3, "hww");
}

Test(contender_order, another_name_blocks_writers_and_not_readers)
{
    const char *names[] = {WRITER("2"), READER("1"), "-made-by-hand"};
    assert_holders(&lock_driver_read, names, 3, "hhw");
}
