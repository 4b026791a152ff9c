/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of exactly the size that a server accepts by default work; those of one byte more are refused before they
 * are sent, where they would break the connection. Every part counts: path, chroot, name space, data, ACL, credentials.
 */
#include "scenario.h"
#include <curator/read_write_lock.h>
#include <zookeeper/zookeeper.h>

#define MAX_REQUEST 0xfffff
#define FIXED (8 + 4 + 4 + 4) /* header, the lengths of path and data, flags */
#define NAME (4 + 36 + 1)     /* "/_c_", the UUID, "-" */
#define OPEN_ACL (4 + 4 + 4 + 5 + 4 + 6)

static const char *server;

static char *text(size_t length, const char *begin)
{
    char *made = malloc(length + 1);
    assert_that(made != NULL && length >= strlen(begin));
    memset(made, 'x', length);
    memcpy(made, begin, strlen(begin));
    made[length] = '\0';
    return made;
}

static curator_framework *opened(curator_framework_options options)
{
    static curator_retry_policy policy;
    policy = curator_retry_n_times(0, 0); /* a connection that breaks shows */
    options.connect_string = options.connect_string != NULL ? options.connect_string : server;
    options.retry_policy = &policy;
    curator_framework *client = NULL;
    assert_ok(curator_framework_open(&client, &options));
    assert_ok(curator_framework_await_connected(client, bound_ms(10000)));
    return client;
}

static void assert_works(curator_mutex *mutex)
{
    assert_ok(curator_mutex_acquire_for(mutex, bound_ms(20000)));
    assert_ok(curator_mutex_release(mutex));
}

/* A lock whose node's create has this size, which is the limit or one byte more: the rest of it goes into the data. */
static void data(curator_framework *client, const char *path, size_t rest)
{
    size_t room = MAX_REQUEST - FIXED - strlen(path) - NAME - strlen("lock-") - rest;
    char *bytes = text(room + 1, "");
    curator_mutex *mutex = NULL;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_create_with_data(&mutex, client, path, bytes, room + 1));
    assert_error_mentions("lock path");
    assert_that(mutex == NULL);
    assert_ok(curator_mutex_create_with_data(&mutex, client, path, bytes, room));
    assert_works(mutex);
    assert_ok(curator_mutex_destroy(mutex));
    free(bytes);
}

static void data_of_its_own(const char *path)
{
    curator_framework *client = opened((curator_framework_options){0});
    data(client, path, OPEN_ACL);
    assert_ok(curator_framework_close(client));
}

static void default_data(const char *path)
{
    size_t room = MAX_REQUEST - FIXED - strlen(path) - NAME - strlen("lock-") - OPEN_ACL;
    char *bytes = text(room + 1, "");
    curator_mutex *mutex = NULL;
    curator_framework *client = opened((curator_framework_options){.default_data = bytes, .default_data_size = room});
    assert_ok(curator_mutex_create(&mutex, client, path));
    assert_works(mutex);
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));

    client = opened((curator_framework_options){.default_data = bytes, .default_data_size = room + 1});
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_create(&mutex, client, path));
    assert_error_mentions("data");
    assert_ok(curator_framework_close(client));
    free(bytes);
}

static void chroot_and_name_space(const char *path)
{
    enum { LENGTH = 1000 };
    char *chroot = text(LENGTH, "/chroot");
    char *name_space = text(LENGTH, "name");
    char connect_string[2 * LENGTH];
    curator_framework *above = opened((curator_framework_options){0});
    zhandle_t *handle = curator_framework_borrow_handle(above);
    int rc = zoo_create(handle, chroot, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0);
    assert_that(rc == ZOK || rc == ZNODEEXISTS);
    assert_ok(curator_framework_return_handle(above, handle));
    assert_ok(curator_framework_close(above));

    snprintf(connect_string, sizeof connect_string, "%s%s", server, chroot);
    curator_framework *client =
        opened((curator_framework_options){.connect_string = connect_string, .name_space = name_space});
    data(client, path, LENGTH + 1 + LENGTH + OPEN_ACL);
    assert_ok(curator_framework_close(client));
    free(chroot);
    free(name_space);
}

static void large_acl(const char *path)
{
    enum { ENTRIES = 1000 };
    struct ACL entries[ENTRIES];
    size_t size = 4;
    for (int i = 0; i < ENTRIES - 1; i++) {
        char id[32];
        snprintf(id, sizeof id, "10.0.%d.%d", i / 256, i % 256);
        entries[i] = (struct ACL){.perms = ZOO_PERM_READ, .id = {.scheme = (char *)(uintptr_t) "ip", .id = strdup(id)}};
        size += 4 + 4 + strlen("ip") + 4 + strlen(id);
    }
    entries[ENTRIES - 1] = ZOO_OPEN_ACL_UNSAFE.data[0];
    size += OPEN_ACL - 4;
    struct ACL_vector acl = {.count = ENTRIES, .data = entries};
    curator_framework *client = opened((curator_framework_options){.acl = &acl});
    data(client, path, size);
    assert_ok(curator_framework_close(client));
    for (int i = 0; i < ENTRIES - 1; i++) {
        free(entries[i].id.id);
    }
}

/* A reader on its own writer's place asks for a name with the sequence in it: ten digits more. */
static void read_write_lock(const char *path)
{
    size_t room = MAX_REQUEST - FIXED - strlen(path) - NAME - strlen("__READ__") - 10 - OPEN_ACL;
    char *bytes = text(room + 1, "");
    curator_framework *client = opened((curator_framework_options){0});
    curator_read_write_lock *lock = NULL;
    assert_status(CURATOR_INVALID_ARGUMENT,
                  curator_read_write_lock_create_with_data(&lock, client, path, bytes, room + 1));
    assert_ok(curator_read_write_lock_create_with_data(&lock, client, path, bytes, room));
    assert_ok(curator_mutex_acquire_for(curator_read_write_lock_write_side(lock), bound_ms(20000)));
    assert_works(curator_read_write_lock_read_side(lock));
    assert_ok(curator_mutex_release(curator_read_write_lock_write_side(lock)));
    assert_ok(curator_read_write_lock_destroy(lock));
    assert_ok(curator_framework_close(client));
    free(bytes);
}

/* The room of the default data is that of the longest address of a host. */
static void long_path(void)
{
    size_t room = MAX_REQUEST - FIXED - NAME - strlen("lock-") - OPEN_ACL - 39;
    char *path = text(room + 1, "/long");
    curator_framework *client = opened((curator_framework_options){0});
    curator_mutex *mutex = NULL;
    assert_status(CURATOR_INVALID_ARGUMENT, curator_mutex_create(&mutex, client, path));
    path[room] = '\0';
    assert_ok(curator_mutex_create(&mutex, client, path));
    assert_works(mutex);
    assert_ok(curator_mutex_destroy(mutex));
    free(path);

    path = text(MAX_REQUEST - 8 - 4 - 4 - strlen("__REVOKE__") - 4 + 1, "/revoked");
    assert_status(CURATOR_INVALID_ARGUMENT, curator_revoke(client, path));
    path[strlen(path) - 1] = '\0';
    assert_ok(curator_revoke(client, path)); /* there is no such node */
    free(path);
    assert_ok(curator_framework_close(client));
}

static void credentials(const char *path)
{
    size_t room = MAX_REQUEST - 8 - 4 - 4 - strlen("digest") - 4;
    char *long_ones = text(room + 1, "user:");
    curator_framework *client = NULL;
    assert_status(CURATOR_INVALID_ARGUMENT,
                  curator_framework_open(&client, &(curator_framework_options){.connect_string = server,
                                                                               .auth_scheme = "digest",
                                                                               .auth_credentials = long_ones}));
    assert_error_mentions("auth_credentials");
    long_ones[room] = '\0';
    client = opened((curator_framework_options){.auth_scheme = "digest", .auth_credentials = long_ones});
    curator_mutex *mutex = NULL;
    assert_ok(curator_mutex_create(&mutex, client, path));
    assert_works(mutex);
    assert_ok(curator_mutex_destroy(mutex));
    assert_ok(curator_framework_close(client));
    free(long_ones);
}

/* What leaves no room for any lock is refused when the framework is opened. */
static void no_room_at_all(void)
{
    char *too_long = text(MAX_REQUEST - 89, "name");
    curator_framework *client = NULL;
    curator_framework_options wrong[] = {
        {.connect_string = server, .name_space = too_long},
        {.connect_string = server, .default_data = too_long, .default_data_size = MAX_REQUEST - 89},
        {.connect_string = server,
         .name_space = "name",
         .default_data = too_long,
         .default_data_size = MAX_REQUEST - 94},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(CURATOR_INVALID_ARGUMENT, curator_framework_open(&client, &wrong[i]));
        assert_error_mentions("name space");
        assert_that(client == NULL);
    }
    free(too_long);
}

int main(int argc, char **argv)
{
    server = scenario_argument(argc, argv, 1);
    const char *path = scenario_argument(argc, argv, 2);
    no_room_at_all();
    data_of_its_own(path);
    default_data(path);
    chroot_and_name_space(path);
    large_acl(path);
    read_write_lock(path);
    long_path();
    credentials(path);
    return 0;
}
