/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of Java's way to write an address. */
#include "client/host_address.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>

static const char *java_form(const char *text)
{
    static char result[JAVA_ADDRESS_SIZE];
    struct in6_addr address;
    cr_assert_eq(inet_pton(AF_INET6, text, &address), 1);
    host_address_format_v6(&address, result);
    return result;
}

Test(host_address, an_ipv6_address_leaves_nothing_out)
{
    cr_assert_str_eq(java_form("fe80::1"), "fe80:0:0:0:0:0:0:1");
    cr_assert_str_eq(java_form("2001:db8::ff00:42:8329"), "2001:db8:0:0:0:ff00:42:8329");
    cr_assert_str_eq(java_form("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}
