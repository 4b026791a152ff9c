/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the chroot of the connect string exists: without it a session connects, and every path seems to be missing.
 * Caller holds client->mutex.
 */
#ifndef CURATOR_FRAMEWORK_CHROOT_H
#define CURATOR_FRAMEWORK_CHROOT_H

#include "framework/framework.h"

/* CURATOR_ERROR: the chroot does not exist. */
curator_status chroot_fail(const struct call *call, const char *chroot);

/*
 * With a session that is usable: asks, unless it is known, or there is no chroot. Repeated until the deadline of the
 * call. CURATOR_OK: it exists.
 */
curator_status chroot_await(curator_framework *framework, struct call *call);

/* After the answer that a path does not exist: asks, as often as the retry policy allows. CURATOR_OK: it exists. */
curator_status chroot_check(curator_framework *framework, struct call *call);

#endif
