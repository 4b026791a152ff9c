/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the connect string, against what Java's ConnectStringParser does. */
#include "client/connect_string.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct connect_string *parse(const char *text)
{
    struct connect_string *connect = NULL;
    cr_assert_eq(connect_string_parse(text, &connect), CURATOR_OK, "%s", curator_last_error());
    return connect;
}

static void assert_server(const struct connect_string *connect, size_t index, const char *host, uint16_t port,
                          bool numeric)
{
    cr_assert_lt(index, connect->count);
    cr_assert_str_eq(connect->servers[index].host, host);
    cr_assert_eq(connect->servers[index].port, port);
    cr_assert_eq(connect->servers[index].numeric, numeric);
}

static void assert_one_server(const char *text, const char *host, uint16_t port, bool numeric)
{
    struct connect_string *connect = parse(text);
    cr_assert_eq(connect->count, 1);
    assert_server(connect, 0, host, port, numeric);
    cr_assert_null(connect->chroot);
    connect_string_free(connect);
}

static void assert_chroot(const char *text, const char *chroot)
{
    struct connect_string *connect = parse(text);
    if (chroot == NULL) {
        cr_assert_null(connect->chroot);
    } else {
        cr_assert_str_eq(connect->chroot, chroot);
    }
    connect_string_free(connect);
}

static void assert_refused(const char *text, const char *sentence)
{
    struct connect_string sentinel;
    struct connect_string *connect = &sentinel;
    cr_assert_eq(connect_string_parse(text, &connect), CURATOR_INVALID_ARGUMENT);
    cr_assert_null(connect);
    cr_assert_str_eq(curator_last_error(), sentence);
}

static void assert_server_refused(const char *server, const char *reason)
{
    struct connect_string *connect;
    cr_assert_eq(connect_string_parse(server, &connect), CURATOR_INVALID_ARGUMENT, "%s", server);
    cr_assert(strstr(curator_last_error(), reason) != NULL, "%s: %s", server, curator_last_error());
    cr_assert(strstr(curator_last_error(), server) != NULL, "%s: %s", server, curator_last_error());
}

Test(connect_string, takes_servers_and_chroot_apart)
{
    struct connect_string *connect = parse("zk1.example.com:2182,127.0.0.1:2183,zk3/apps/billing");
    cr_assert_eq(connect->count, 3);
    assert_server(connect, 0, "zk1.example.com", 2182, false);
    assert_server(connect, 1, "127.0.0.1", 2183, true);
    assert_server(connect, 2, "zk3", 2181, false);
    cr_assert_str_eq(connect->chroot, "/apps/billing");
    connect_string_free(connect);
}

Test(connect_string, takes_port_2181_where_none_is_given)
{
    assert_one_server("host", "host", 2181, false);
    assert_one_server("host:", "host", 2181, false);
    assert_one_server("10.0.0.1", "10.0.0.1", 2181, true);
    assert_one_server("[::1]", "::1", 2181, true);
}

Test(connect_string, reads_ipv6_addresses_in_brackets)
{
    assert_one_server("[::1]:2182", "::1", 2182, true);
    assert_one_server("[2001:db8::7]:1", "2001:db8::7", 1, true);
    assert_one_server("[fe80::1%eth0]:2181", "fe80::1%eth0", 2181, false);
}

Test(connect_string, calls_only_whole_addresses_numeric)
{
    assert_one_server("127.0.0.1.example.com:1", "127.0.0.1.example.com", 1, false);
    assert_one_server("127.1:1", "127.1", 1, false);
    assert_one_server("256.0.0.1:1", "256.0.0.1", 1, false);
}

Test(connect_string, trims_blanks_and_skips_what_is_empty_between_commas)
{
    struct connect_string *connect = parse(" a:1 ,, \tb:2,\n/x");
    cr_assert_eq(connect->count, 2);
    assert_server(connect, 0, "a", 1, false);
    assert_server(connect, 1, "b", 2, false);
    cr_assert_str_eq(connect->chroot, "/x");
    connect_string_free(connect);
}

Test(connect_string, takes_a_lone_slash_for_no_chroot)
{
    assert_chroot("a:1", NULL);
    assert_chroot("a:1/", NULL);
    assert_chroot("a:1/x", "/x");
}

Test(connect_string, refuses_a_chroot_in_the_middle_of_the_servers)
{
    assert_refused("a:1/x,y:2",
                   "the chroot at 3 of the connect string is not valid: a comma follows at 5, but a chroot "
                   "comes last, after all servers");
    assert_refused("a:1/x,y:2/z", "the chroot at 3 of the connect string is not valid: a comma follows at 5, but a "
                                  "chroot comes last, after all servers");
}

Test(connect_string, refuses_urls)
{
    assert_refused("http://a:2181", "connect string \"http://a:2181\" is not valid: URLs are not accepted; write "
                                    "host:port,host:port/chroot");
}

Test(connect_string, refuses_a_chroot_that_is_no_path)
{
    assert_refused("a:1/x/", "the chroot at 3 of the connect string is not valid: "
                             "path \"/x/\" is not valid: trailing slash at 2");
    assert_refused("a:1//", "the chroot at 3 of the connect string is not valid: "
                            "path \"//\" is not valid: trailing slash at 1");
    assert_refused("a:1//b", "the chroot at 3 of the connect string is not valid: "
                             "path \"//b\" is not valid: empty node name at 1");
}

Test(connect_string, refuses_to_name_no_server)
{
    assert_refused(NULL, "connect string is NULL");
    assert_refused("", "connect string \"\" is not valid: it names no server");
    assert_refused(" , ,", "connect string \" , ,\" is not valid: it names no server");
    assert_refused("/chroot", "connect string \"/chroot\" is not valid: it names no server");
}

Test(connect_string, names_the_server_that_is_wrong_and_where_it_stands)
{
    assert_refused("a:1, b:x/c", "server \"b:x\" at 5 of the connect string is not valid: its port is not a number");
    assert_refused("a:1,:2181", "server \":2181\" at 4 of the connect string is not valid: its host is empty");
}

Test(connect_string, refuses_ports_that_are_none)
{
    assert_one_server("a:1", "a", 1, false);
    assert_one_server("a:65535", "a", 65535, false);
    assert_one_server("a:002181", "a", 2181, false);
    assert_server_refused("a:0", "not within 1 and 65535");
    assert_server_refused("a:65536", "not within 1 and 65535");
    assert_server_refused("a:4294967297", "not within 1 and 65535");
    assert_server_refused("a:99999999999999999999999999", "not within 1 and 65535");
    assert_server_refused("a:-1", "not a number");
    assert_server_refused("a:2181x", "not a number");
    assert_server_refused("a: 2181", "not a number");
}

Test(connect_string, refuses_broken_brackets_and_bare_ipv6)
{
    assert_server_refused("[::1:2181", "its [ has no ]");
    assert_server_refused("[::1]2181", "other than a colon");
    assert_server_refused("[::1]:", "no port follows");
    assert_server_refused("[]:2181", "its host is empty");
    assert_server_refused("::1", "written in brackets");
    assert_server_refused("::1:2181", "written in brackets");
}

Test(connect_string, refuses_servers_that_are_parted_by_blanks)
{
    assert_server_refused("a b", "its host contains a blank");
    assert_server_refused("a:1 b:2", "more than one colon");
}

Test(connect_string, frees_null)
{
    connect_string_free(NULL);
}

static void assert_for_client(size_t count, const char *chroot, const char *expected)
{
    static const char *const addresses[] = {"127.0.0.1", "::1", "fe80::1%eth0", "255.255.255.255"};
    static const uint16_t ports[] = {2181, 2182, 65535, 65535};
    char *text = connect_string_for_client(addresses, ports, count, chroot);
    cr_assert_str_eq(text, expected);
    free(text);
}

Test(connect_string, writes_ipv6_without_brackets_as_the_c_client_wants_it)
{
    assert_for_client(1, NULL, "127.0.0.1:2181");
    assert_for_client(1, "/a/b", "127.0.0.1:2181/a/b");
    assert_for_client(3, "/a", "127.0.0.1:2181,::1:2182,fe80::1%eth0:65535/a");
}

Test(connect_string, repeats_the_first_of_an_even_number_of_addresses)
{
    assert_for_client(2, "/a", "127.0.0.1:2181,::1:2182,127.0.0.1:2181/a");
    assert_for_client(4, NULL, "127.0.0.1:2181,::1:2182,fe80::1%eth0:65535,255.255.255.255:65535,127.0.0.1:2181");
}
