/* SPDX-License-Identifier: Apache-2.0 */
/* What systemd wants to hear from a service of Type=notify; nothing where NOTIFY_SOCKET is not set. */
#ifndef CURATOR_LOCK_NOTIFY_H
#define CURATOR_LOCK_NOTIFY_H

/* Such as "READY=1". What cannot be said is a warning. */
void notify(const char *state);

#endif
