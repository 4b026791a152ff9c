/* SPDX-License-Identifier: Apache-2.0 */
/* The connect string: what is taken has only usable parts, is read again as it is written out, and else is refused. */
#include "fuzz.h"

#include "base/path.h"
#include "client/connect_string.h"

#include <arpa/inet.h>
#include <stdbool.h>

static void server_is_usable(const struct connect_server *server)
{
    struct in6_addr address;
    holds(server->port > 0);
    holds(server->host[0] != '\0' && strpbrk(server->host, ",/ \t\r\n") == NULL);
    bool numeric = inet_pton(AF_INET, server->host, &address) == 1 || inet_pton(AF_INET6, server->host, &address) == 1;
    holds(server->numeric == numeric);
}

static char *write_out(const struct connect_string *connect)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    holds(stream != NULL);
    for (size_t i = 0; i < connect->count; i++) {
        const struct connect_server *server = &connect->servers[i];
        bool brackets = strchr(server->host, ':') != NULL || server->host[0] == '[';
        fprintf(stream, brackets ? "%s[%s]:%u" : "%s%s:%u", i > 0 ? "," : "", server->host, (unsigned)server->port);
    }
    fprintf(stream, "%s", connect->chroot != NULL ? connect->chroot : "");
    holds(fclose(stream) == 0);
    return text;
}

static void is_read_again(const struct connect_string *connect)
{
    char *text = write_out(connect);
    struct connect_string *again = NULL;
    holds(connect_string_parse(text, &again) == CURATOR_OK);
    holds(again->count == connect->count);
    for (size_t i = 0; i < connect->count; i++) {
        holds(strcmp(again->servers[i].host, connect->servers[i].host) == 0);
        holds(again->servers[i].port == connect->servers[i].port);
        holds(again->servers[i].numeric == connect->servers[i].numeric);
    }
    holds((again->chroot == NULL) == (connect->chroot == NULL));
    holds(again->chroot == NULL || strcmp(again->chroot, connect->chroot) == 0);
    connect_string_free(again);
    free(text);
}

/* The C client fails over only on lists of odd length. */
static void client_gets_an_odd_list(const struct connect_string *connect)
{
    const char **addresses = calloc(connect->count, sizeof *addresses);
    uint16_t *ports = calloc(connect->count, sizeof *ports);
    holds(addresses != NULL && ports != NULL);
    size_t commas = 0;
    for (size_t i = 0; i < connect->count; i++) {
        addresses[i] = connect->servers[i].host;
        ports[i] = connect->servers[i].port;
    }
    char *text = connect_string_for_client(addresses, ports, connect->count, connect->chroot);
    holds(text != NULL);
    for (const char *at = text; *at != '\0' && *at != '/'; at++) {
        commas += *at == ',';
    }
    holds(commas % 2 == 0 && commas + 1 >= connect->count);
    const char *chroot = strchr(text, '/');
    holds((chroot == NULL) == (connect->chroot == NULL));
    holds(chroot == NULL || strcmp(chroot, connect->chroot) == 0);
    free(text);
    free(addresses);
    free(ports);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    holds(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    struct connect_string *connect = (struct connect_string *)text; /* to be overwritten */
    curator_status status = connect_string_parse(text, &connect);
    holds((connect != NULL) == (status == CURATOR_OK));
    if (status == CURATOR_OK) {
        holds(connect->count > 0);
        for (size_t i = 0; i < connect->count; i++) {
            server_is_usable(&connect->servers[i]);
        }
        holds(connect->chroot == NULL ||
              (strcmp(connect->chroot, "/") != 0 && path_validate(connect->chroot) == CURATOR_OK));
        is_read_again(connect);
        client_gets_an_odd_list(connect);
    } else {
        holds(status == CURATOR_INVALID_ARGUMENT && curator_last_error()[0] != '\0');
    }
    connect_string_free(connect);
    free(text);
    return 0;
}
