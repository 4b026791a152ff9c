/* SPDX-License-Identifier: Apache-2.0 */
/* What curator-lock exits with; from 64 on the numbers of <sysexits.h>. */
#ifndef CURATOR_LOCK_EXIT_STATUS_H
#define CURATOR_LOCK_EXIT_STATUS_H

enum exit_status {
    EXIT_DONE = 0,
    EXIT_NOT_OBTAINED = 1, /* and `test`: somebody holds the lock */
    EXIT_USAGE = 64,
    EXIT_NO_SERVER = 69,
    EXIT_SYSTEM = 71,
    EXIT_LOST = 75, /* while the command ran, whatever it then exited with */
    EXIT_REFUSED = 77,
    EXIT_CANNOT_EXECUTE = 126,
    EXIT_NOT_FOUND = 127,
    EXIT_BY_SIGNAL = 128, /* plus the signal */
};

#endif
