/* SPDX-License-Identifier: Apache-2.0 */
/* The connect string: what the user wrote taken apart, and what the C client wants put together. */
#include "client/connect_string.h"

#include "base/error.h"
#include "base/path.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PORT = 2181, SHOWN_LENGTH = 200 };

/* A part of the user's text. */
struct piece {
    const char *start;
    size_t length;
};

static int shown_length(size_t length)
{
    return length < SHOWN_LENGTH ? (int)length : SHOWN_LENGTH;
}

static curator_status no_memory(void)
{
    return fail(CURATOR_NO_MEMORY, "out of memory while reading the connect string");
}

static bool is_blank(char character)
{
    return (unsigned char)character <= ' ';
}

static struct piece trim(struct piece piece)
{
    while (piece.length > 0 && is_blank(piece.start[0])) {
        piece.start++;
        piece.length--;
    }
    while (piece.length > 0 && is_blank(piece.start[piece.length - 1])) {
        piece.length--;
    }
    return piece;
}

/* False if the port is none; *port is 0 if it is out of range. */
static bool parse_port(struct piece digits, uint16_t *port)
{
    uint32_t number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        if (digits.start[i] < '0' || digits.start[i] > '9') {
            return false;
        }
        number = number * 10 + (uint32_t)(digits.start[i] - '0');
        if (number > UINT16_MAX) {
            number = UINT16_MAX + 1;
        }
    }
    *port = number > UINT16_MAX ? 0 : (uint16_t)number;
    return true;
}

/*
 * Cuts a server into its host and the text of its port, which has no start if there is none. Returns what is wrong, or
 * NULL.
 */
static const char *split_server(struct piece server, struct piece *host, struct piece *port)
{
    const char *end = server.start + server.length;
    const char *colon;
    *port = (struct piece){NULL, 0};
    if (server.start[0] == '[') {
        const char *bracket = memchr(server.start, ']', server.length);
        if (bracket == NULL) {
            return "its [ has no ]";
        }
        *host = (struct piece){server.start + 1, (size_t)(bracket - server.start - 1)};
        if (bracket + 1 == end) {
            return NULL;
        }
        colon = bracket + 1;
        if (*colon != ':') {
            return "something other than a colon follows its ]";
        }
        if (colon + 1 == end) {
            return "no port follows its colon";
        }
    } else {
        colon = memchr(server.start, ':', server.length);
        *host = (struct piece){server.start, colon == NULL ? server.length : (size_t)(colon - server.start)};
        if (colon == NULL || colon + 1 == end) {
            return NULL; /* Java takes "host:" for the default port */
        }
        if (memchr(colon + 1, ':', (size_t)(end - colon - 1)) != NULL) {
            return "it has more than one colon (an IPv6 address is written in brackets)";
        }
    }
    *port = (struct piece){colon + 1, (size_t)(end - colon - 1)};
    return NULL;
}

static const char *check_host(struct piece host)
{
    if (host.length == 0) {
        return "its host is empty";
    }
    for (size_t i = 0; i < host.length; i++) {
        if (is_blank(host.start[i])) {
            return "its host contains a blank";
        }
    }
    return NULL;
}

static bool is_numeric(const char *host)
{
    struct in6_addr address;
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
}

static curator_status parse_server(const char *text, struct piece piece, struct connect_server *server)
{
    struct piece host = {NULL, 0};
    struct piece port;
    const char *reason = split_server(piece, &host, &port);
    if (reason == NULL) {
        reason = check_host(host);
    }
    server->port = DEFAULT_PORT;
    if (reason == NULL && port.start != NULL) {
        if (!parse_port(port, &server->port)) {
            reason = "its port is not a number";
        } else if (server->port == 0) {
            reason = "its port is not within 1 and 65535";
        }
    }
    if (reason != NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "server \"%.*s\" at %zu of the connect string is not valid: %s",
                    shown_length(piece.length), piece.start, (size_t)(piece.start - text), reason);
    }
    server->host = strndup(host.start, host.length);
    if (server->host == NULL) {
        return no_memory();
    }
    server->numeric = is_numeric(server->host);
    return CURATOR_OK;
}

/* Java skips what is empty between commas, so "a:2181,,b:2181," names two servers. */
static curator_status parse_servers(const char *text, size_t length, struct connect_string *connect)
{
    size_t commas = 0;
    for (size_t i = 0; i < length; i++) {
        commas += text[i] == ',';
    }
    connect->servers = calloc(commas + 1, sizeof *connect->servers);
    if (connect->servers == NULL) {
        return no_memory();
    }
    const char *end = text + length;
    for (const char *start = text; start <= end;) {
        const char *comma = memchr(start, ',', (size_t)(end - start));
        const char *stop = comma != NULL ? comma : end;
        struct piece piece = trim((struct piece){start, (size_t)(stop - start)});
        start = stop + 1;
        if (piece.length == 0) {
            continue;
        }
        curator_status status = parse_server(text, piece, &connect->servers[connect->count]);
        if (status != CURATOR_OK) {
            return status;
        }
        connect->count++;
    }
    if (connect->count == 0) {
        return fail(CURATOR_INVALID_ARGUMENT, "connect string \"%.*s\" is not valid: it names no server",
                    shown_length(strlen(text)), text);
    }
    return CURATOR_OK;
}

static curator_status parse_chroot(const char *text, const char *chroot, struct connect_string *connect)
{
    if (strcmp(chroot, "/") == 0) {
        return CURATOR_OK;
    }
    const char *comma = strchr(chroot, ',');
    if (comma != NULL) { /* a server behind it would silently become a part of the chroot */
        return fail(CURATOR_INVALID_ARGUMENT,
                    "the chroot at %zu of the connect string is not valid: a comma follows at %zu, but a chroot comes "
                    "last, after all servers",
                    (size_t)(chroot - text), (size_t)(comma - text));
    }
    curator_status status = path_validate(chroot);
    if (status != CURATOR_OK) {
        return fail(status, "the chroot at %zu of the connect string is not valid: %s", (size_t)(chroot - text),
                    curator_last_error());
    }
    connect->chroot = strdup(chroot);
    return connect->chroot != NULL ? CURATOR_OK : no_memory();
}

curator_status connect_string_parse(const char *text, struct connect_string **out)
{
    *out = NULL;
    if (text == NULL) {
        return fail(CURATOR_INVALID_ARGUMENT, "connect string is NULL");
    }
    if (strstr(text, "://") != NULL) {
        return fail(CURATOR_INVALID_ARGUMENT,
                    "connect string \"%.*s\" is not valid: URLs are not accepted; write host:port,host:port/chroot",
                    shown_length(strlen(text)), text);
    }
    struct connect_string *connect = calloc(1, sizeof *connect);
    if (connect == NULL) {
        return no_memory();
    }
    const char *chroot = strchr(text, '/');
    size_t servers_length = chroot != NULL ? (size_t)(chroot - text) : strlen(text);
    curator_status status = parse_servers(text, servers_length, connect);
    if (status == CURATOR_OK && chroot != NULL) {
        status = parse_chroot(text, chroot, connect);
    }
    if (status != CURATOR_OK) {
        connect_string_free(connect);
        return status;
    }
    *out = connect;
    return CURATOR_OK;
}

void connect_string_free(struct connect_string *connect)
{
    if (connect == NULL) {
        return;
    }
    for (size_t i = 0; i < connect->count; i++) {
        free(connect->servers[i].host);
    }
    free(connect->servers);
    free(connect->chroot);
    free(connect);
}

char *connect_string_for_client(const char *const *addresses, const uint16_t *ports, size_t count, const char *chroot)
{
    size_t size = strlen(addresses[0]) + sizeof ",:65535" + (chroot != NULL ? strlen(chroot) : 0) + 1;
    for (size_t i = 0; i < count; i++) {
        size += strlen(addresses[i]) + sizeof ",:65535";
    }
    char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    size_t listed = count % 2 == 0 ? count + 1 : count;
    size_t length = 0;
    for (size_t i = 0; i < listed; i++) {
        size_t index = i < count ? i : 0;
        length += (size_t)snprintf(text + length, size - length, "%s%s:%u", i > 0 ? "," : "", addresses[index],
                                   (unsigned)ports[index]);
    }
    if (chroot != NULL) {
        memcpy(text + length, chroot, strlen(chroot) + 1);
    }
    return text;
}
