/* SPDX-License-Identifier: Apache-2.0 */
/* A loss is reported to the holder even while memory fails. */
#include "trial.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELD_MS 60 /* by then the library sets the watch on what is held */

static void on_event(curator_mutex *mutex, void *context)
{
    (void)mutex;
    atomic_fetch_add(&((struct setup *)context)->told, 1);
}

static void make_mutex_that_tells(struct setup *setup)
{
    make_mutex(setup);
    assert_ok(curator_mutex_on_lost(setup->mutex, on_event, setup));
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_lock_path(setup->mutex, &setup->text));
}

static void make_revocable_mutex(struct setup *setup)
{
    make_mutex(setup);
    assert_ok(curator_mutex_make_revocable(setup->mutex, on_event, setup));
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_lock_path(setup->mutex, &setup->text));
}

static curator_status hold(struct setup *setup)
{
    (void)setup;
    pause_ms((int)bound_ms(HELD_MS));
    return CURATOR_OK;
}

static void forget_path(struct setup *setup)
{
    free(setup->text);
    setup->text = NULL;
}

static void verify_deletion_is_told(struct setup *setup, curator_status status)
{
    assert_ok(status);
    assert_that(zoo_delete(setup->admin, setup->text, -1) == ZOK);
    await_that(atomic_load(&setup->told) == 1);
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(setup->mutex));
    forget_path(setup);
    assert_works(setup->mutex);
}

static void verify_revocation_is_told(struct setup *setup, curator_status status)
{
    assert_ok(status);
    assert_ok(curator_revoke(setup->client, setup->text));
    await_that(atomic_load(&setup->told) == 1);
    forget_path(setup);
    assert_ok(curator_mutex_release(setup->mutex));
    assert_works(setup->mutex);
}

static clientid_t session_of(curator_framework *client)
{
    zhandle_t *lent = curator_framework_borrow_handle(client);
    assert_that(lent != NULL);
    clientid_t id = *zoo_client_id(lent);
    assert_ok(curator_framework_return_handle(client, lent));
    return id;
}

static size_t put(unsigned char *frame, size_t at, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        frame[at + i] = (unsigned char)(number >> 8 * (bytes - 1 - i));
    }
    return at + bytes;
}

/*
 * Ends the session of the client on the server: joins it and closes it in one write. It is seldom, but possible, that
 * the client takes it back in between.
 */
static void end_session(const struct setup *setup, const clientid_t *id)
{
    unsigned char frames[64];
    size_t size = put(frames, 0, 45, 4); /* bytes that follow */
    size = put(frames, size, 0, 4);      /* version of the protocol */
    size = put(frames, size, 0, 8);      /* the newest zxid seen */
    size = put(frames, size, 10000, 4);  /* session timeout */
    size = put(frames, size, (uint64_t)id->client_id, 8);
    size = put(frames, size, sizeof id->passwd, 4);
    memcpy(frames + size, id->passwd, sizeof id->passwd);
    size = put(frames, size + sizeof id->passwd, 0, 1); /* not read-only */
    size = put(frames, size, 8, 4);
    size = put(frames, size, 1, 4);             /* number of the request */
    size = put(frames, size, (uint64_t)-11, 4); /* close the session */

    struct sockaddr_in server = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server.sin_port = htons((uint16_t)atoi(strrchr(setup->connect_string, ':') + 1));
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_that(connect(fd, (struct sockaddr *)&server, sizeof server) == 0);
    assert_that(write(fd, frames, size) == (ssize_t)size);
    char answer[256];
    while (read(fd, answer, sizeof answer) > 0) { /* until the server has closed it */
    }
    close(fd);
}

static void prepare_session_end(struct setup *setup)
{
    curator_framework_options options = trial_options(setup);
    options.session_timeout_ms = 4000;
    assert_ok(curator_framework_open(&setup->own_client, &options));
    assert_ok(curator_framework_await_connected(setup->own_client, bound_ms(LONG_MS)));
    assert_ok(curator_mutex_create(&setup->mutex, setup->own_client, setup->path));
    assert_ok(curator_mutex_on_lost(setup->mutex, on_event, setup));
    assert_ok(curator_mutex_acquire_for(setup->mutex, bound_ms(LONG_MS)));
}

/* The loss is reported while memory still fails. */
static curator_status lose_session(struct setup *setup)
{
    clientid_t id = session_of(setup->own_client);
    int64_t again = 0;
    while (atomic_load(&setup->told) == 0) {
        if (now_ms() >= again) {
            end_session(setup, &id);
            again = now_ms() + bound_ms(300);
        }
        pause_ms(1);
    }
    return await_connected(setup, setup->own_client);
}

static void verify_new_session(struct setup *setup, curator_status status)
{
    assert_status(CURATOR_LOCK_LOST, curator_mutex_release(setup->mutex));
    assert_ok(curator_framework_await_connected(setup->own_client, bound_ms(LONG_MS)));
    assert_works(setup->mutex);
    destroy_mutex(setup);
    status = curator_framework_close(setup->own_client);
    assert_that(status == CURATOR_OK || status == CURATOR_CONNECTION_LOSS); /* of the session that was taken away */
    setup->own_client = NULL;
}

const struct trial loss_trials[] = {
    {.name = "deletion",
     .at_least = 3,
     .prepare = make_mutex_that_tells,
     .call = hold,
     .verify = verify_deletion_is_told,
     .finish = destroy_mutex},
    {.name = "revocation",
     .at_least = 3,
     .prepare = make_revocable_mutex,
     .call = hold,
     .verify = verify_revocation_is_told,
     .finish = destroy_mutex},
    {.name = "end_of_the_session",
     .at_least = 6,
     .prepare = prepare_session_end,
     .call = lose_session,
     .verify = verify_new_session,
     .also = CURATOR_TIMED_OUT},
    {0},
};
