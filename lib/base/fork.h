/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a child process from the one that opened a framework: the child must not touch the parent's connection. */
#ifndef CURATOR_BASE_FORK_H
#define CURATOR_BASE_FORK_H

/*
 * Another number in a child process than in its parent and in all their ancestors; else always the same. 0: there is no
 * memory to tell the two apart, so nothing may be opened. Takes no lock, so no other thread can hold one at a fork.
 */
unsigned fork_generation(void);

#endif
