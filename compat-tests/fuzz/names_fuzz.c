/* SPDX-License-Identifier: Apache-2.0 */
/* Names of lock nodes: their order is total and Java's, and a place in the queue is the place in the sorted list. */
#include "fuzz.h"

#include "framework/protected_name.h"
#include "locks/lock_driver.h"
#include "locks/node_name.h"

#include <stdbool.h>

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* As String.compareTo(). */
static int compare_units(const uint16_t *left, int left_count, const uint16_t *right, int right_count)
{
    for (int i = 0; i < left_count && i < right_count; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return sign(left_count - right_count);
}

static void order_is_java_s(const char *left, const char *right)
{
    uint16_t *left_units = malloc((strlen(left) + 1) * sizeof *left_units);
    uint16_t *right_units = malloc((strlen(right) + 1) * sizeof *right_units);
    holds(left_units != NULL && right_units != NULL);
    int left_count = utf16_of(left, left_units), right_count = utf16_of(right, right_units);
    if (left_count >= 0 && right_count >= 0) {
        holds(sign(node_name_compare(left, right)) == compare_units(left_units, left_count, right_units, right_count));
    }
    free(left_units);
    free(right_units);
}

static void order_is_total(const struct pieces *names)
{
    for (size_t i = 0; i < names->count; i++) {
        for (size_t j = 0; j < names->count; j++) {
            const char *a = names->text[i], *b = names->text[j];
            int order = sign(node_name_compare(a, b));
            holds(order == -sign(node_name_compare(b, a)));
            holds((order == 0) == (strcmp(a, b) == 0));
            order_is_java_s(a, b);
            for (size_t k = 0; k < names->count; k++) {
                const char *c = names->text[k];
                holds(!(order <= 0 && node_name_compare(b, c) <= 0) || node_name_compare(a, c) <= 0);
            }
        }
    }
}

static void key_is_an_end_of_the_name(const char *name, const char *lock_name)
{
    const char *key = node_name_sort_key(name, lock_name);
    holds(key >= name && key <= name + strlen(name));
    bool without = strstr(name, lock_name) == NULL;
    holds(without ? key == name : (size_t)(key - name) >= strlen(lock_name));
    holds(without || memcmp(key - strlen(lock_name), lock_name, strlen(lock_name)) == 0);
    holds(without || strstr(key, lock_name) == NULL);
    if (node_name_sequence_wrapped(name, lock_name)) {
        holds(!without && key[0] == '-' && key[1] != '\0' && strspn(key + 1, "0123456789") == strlen(key + 1));
    }
}

static bool counts(const struct lock_driver *driver, const char *name)
{
    return driver->rivals == NULL || strstr(name, driver->rivals) != NULL;
}

/* The first name is ours; children are the different ones. */
static void place_is_that_of_the_sorted_list(const struct pieces *names, const struct lock_driver *driver)
{
    const char *children[MAX_PIECES] = {0}, *sorted[MAX_PIECES];
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < count; j++) {
            seen = seen || strcmp(children[j], names->text[i]) == 0;
        }
        if (!seen) {
            children[count++] = names->text[i];
        }
    }
    memcpy(sorted, children, sizeof sorted);
    holds(lock_driver_sort(driver, sorted, count));
    for (size_t own = 0; own < count; own++) {
        struct lock_position position = lock_driver_position(driver, children, count, children[own]);
        size_t before = 0;
        const char *predecessor = NULL;
        for (size_t i = 0; sorted[i] != children[own]; i++) {
            if (counts(driver, sorted[i])) {
                before++;
                predecessor = sorted[i];
            }
        }
        holds(position.found);
        holds(position.index == before);
        holds(position.predecessor == predecessor);
    }
    holds(!lock_driver_position(driver, children, count, "\n").found); /* no piece contains one */
}

static void protected_name_is_found_again(const char *parent, const char *name)
{
    static const char uuid[] = "00000000-1111-2222-3333-444444444444", other[] = "00000000-1111-2222-3333-444444444445";
    char *path = protected_name_path(parent, uuid, name);
    holds(path != NULL);
    const char *own = path + strlen(parent) + 1;
    holds(strncmp(path, parent, strlen(parent)) == 0 && own[-1] == '/');
    holds(protected_name_has_uuid(own, uuid));
    holds(!protected_name_has_uuid(own, other));
    holds(strcmp(own + strlen("_c_") + strlen(uuid) + 1, name) == 0);
    (void)protected_name_has_uuid(name, uuid);
    free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces names = pieces_of(data, size);
    order_is_total(&names);
    for (size_t i = 0; i < names.count; i++) {
        key_is_an_end_of_the_name(names.text[i], "lock-");
        key_is_an_end_of_the_name(names.text[i], "__READ__");
        key_is_an_end_of_the_name(names.text[i], "__WRIT__");
        protected_name_is_found_again(names.text[0], names.text[i]);
    }
    place_is_that_of_the_sorted_list(&names, &lock_driver_mutex);
    place_is_that_of_the_sorted_list(&names, &lock_driver_read);
    place_is_that_of_the_sorted_list(&names, &lock_driver_write);
    pieces_free(&names);
    return 0;
}
