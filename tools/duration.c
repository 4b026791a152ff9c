/* SPDX-License-Identifier: Apache-2.0 */
#include "duration.h"

#include <stddef.h>
#include <string.h>

/* Of a millisecond: finer digits count only as "more". */
#define FINEST 1000000

static const struct {
    const char *name;
    int64_t milliseconds;
} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", INT64_C(60) * 1000}, {"h", INT64_C(3600) * 1000}};

static int64_t unit_called(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(name, units[i].name) == 0) {
            return units[i].milliseconds;
        }
    }
    return 0;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Reads digits; a number that is too large stays at the largest duration and one more. */
static int64_t read_whole(const char **at)
{
    int64_t whole = 0;
    for (; is_digit(**at); (*at)++) {
        if (whole <= LONGEST_DURATION_MS) {
            whole = whole * 10 + (**at - '0');
        }
    }
    return whole;
}

/* Reads the digits behind the point, as so many of FINEST parts, rounded up. */
static int64_t read_fraction(const char **at)
{
    int64_t fraction = 0, weight = FINEST;
    bool more = false;
    for (; is_digit(**at); (*at)++) {
        weight /= 10;
        fraction += (**at - '0') * weight;
        more = more || (weight == 0 && **at != '0');
    }
    return fraction + (more ? 1 : 0);
}

bool parse_duration(const char *text, int64_t *milliseconds)
{
    const char *at = text;
    int64_t whole = read_whole(&at), fraction = 0;
    bool has_digits = at != text;
    if (*at == '.') {
        const char *digits = ++at;
        fraction = read_fraction(&at);
        has_digits = has_digits || at != digits;
    }
    int64_t unit = unit_called(at);
    if (!has_digits || unit == 0 || whole > LONGEST_DURATION_MS / unit) {
        return false;
    }
    int64_t value = whole * unit + (fraction * unit + FINEST - 1) / FINEST;
    *milliseconds = value;
    return value <= LONGEST_DURATION_MS;
}
