/* SPDX-License-Identifier: Apache-2.0 */
/* The servers, and why each could not be used. */
#include "client/servers_text.h"

#include <netdb.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SERVER_SIZE 480 /* of the text about one; a longer one is cut */

/* Appends; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Of each of its addresses; a name may have several. Whether there is one. */
static bool add_notes(const struct connection *connection, size_t index, char text[SERVER_SIZE])
{
    const struct address_list *list = &connection->addresses;
    bool numeric = connection->servers->servers[index].numeric;
    const char *separator = " (";
    for (size_t i = 0; i < list->count; i++) {
        char why[160];
        if (list->servers[i] == index &&
            server_notes_text(&connection->sessions->notes, list->addresses[i], list->ports[i], why, sizeof why)) {
            add(text, SERVER_SIZE, "%s%s%s%s", separator, numeric ? "" : list->addresses[i], numeric ? "" : ": ", why);
            separator = "; ";
        }
    }
    bool any = *separator == ';';
    if (any) {
        add(text, SERVER_SIZE, ")");
    }
    return any;
}

/* Whether anything is known of it. */
static bool describe_server(const struct connection *connection, size_t index, char text[SERVER_SIZE])
{
    const struct connect_server *server = &connection->servers->servers[index];
    int name_error = connection->name_errors != NULL ? connection->name_errors[index] : 0;
    snprintf(text, SERVER_SIZE, "%.255s:%d", server->host, server->port);
    if (name_error != 0) {
        add(text, SERVER_SIZE, " (cannot resolve the host name: %s)", gai_strerror(name_error));
        return true;
    }
    return add_notes(connection, index, text);
}

const char *servers_text(const struct connection *connection, char buffer[SERVERS_TEXT_SIZE])
{
    const struct connect_string *servers = connection->servers;
    char text[SERVER_SIZE];
    size_t rest = strlen(connection->problem) + sizeof ", and 4294967295 more ()";
    bool known = true; /* of each */
    buffer[0] = '\0';
    for (size_t i = 0; i < servers->count; i++) {
        known = describe_server(connection, i, text) && known;
        if (i > 0 && strlen(buffer) + strlen(text) + rest > SERVERS_TEXT_SIZE) {
            add(buffer, SERVERS_TEXT_SIZE, ", and %zu more", servers->count - i);
            break;
        }
        add(buffer, SERVERS_TEXT_SIZE, "%s%s", i > 0 ? ", " : "", text);
    }
    bool said = known && strcmp(connection->problem, NO_ANSWER) == 0; /* in other words */
    if (connection->problem[0] != '\0' && !said) {
        add(buffer, SERVERS_TEXT_SIZE, " (%s)", connection->problem);
    }
    return buffer;
}
