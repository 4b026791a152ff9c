/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the stand-in for the ZooKeeper client share. */
#ifndef CURATOR_SCHEDULES_HANDLE_PARTS_H
#define CURATOR_SCHEDULES_HANDLE_PARTS_H

#include "handle.h"

/* completions.c: what waits to be told, and the completion thread. */
struct message *queue_add(struct queue *queue, enum message_kind kind);
struct message *queue_take(struct queue *queue);
struct watch *watch_find(struct watches *watches, const char *path);
void watch_set(struct watches *watches, const char *path, watcher_fn fn, void *context);
bool watch_drop(struct watches *watches, const char *path);
struct message *hand_over(zhandle_t *handle, enum message_kind kind);
void tell_session(zhandle_t *handle, int state);
void end_request(zhandle_t *handle, struct sent_request *request, int rc);
void end_all(zhandle_t *handle, int rc);
void *run_completions(void *context);

/* server.c */
bool asks_leader(const struct sent_request *request);
struct server_session *session_of(const zhandle_t *handle);
void send_event(zhandle_t *handle, const char *path, int type);

#endif
