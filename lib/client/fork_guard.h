/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a child process from the one that opened a framework: the child must not touch the parent's connection. */
#ifndef CURATOR_CLIENT_FORK_GUARD_H
#define CURATOR_CLIENT_FORK_GUARD_H

/* Changes in the child at every fork(), and never else. */
unsigned fork_generation(void);

#endif
