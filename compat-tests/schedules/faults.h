/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong by chance: connections, operators, pauses. */
#ifndef CURATOR_SCHEDULES_FAULTS_H
#define CURATOR_SCHEDULES_FAULTS_H

#include "schedule.h"

enum fault {
    BREAK,
    STALL_TO_SERVER,
    STALL_TO_CLIENT,
    CUT_FROM_LEADER,
    DELETE_OWN,
    CHANGE_OWN,
    REPLACE_OWN,
    DELETE_OTHER,
    CHANGE_OTHER,
    REPLACE_OTHER,
    CLOSE_SESSION,
    PAUSE,
    MACHINE_SLEEPS,
    WAIT_IN_SILENCE,
    FAULTS
};

/* Returns whether it could happen. */
bool fault_happens(enum fault fault, zhandle_t *handle);
/* The ZooKeeper client gives up a connection that is silent for too long. Returns whether it did. */
bool fault_is_noticed(zhandle_t *handle);

#endif
