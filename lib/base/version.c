/* SPDX-License-Identifier: Apache-2.0 */
/* The version that a program runs with. */
#include <curator/curator.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *curator_version(void)
{
    return TEXT(CURATOR_VERSION_MAJOR) "." TEXT(CURATOR_VERSION_MINOR) "." TEXT(CURATOR_VERSION_PATCH);
}
