/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CURATOR_LOCK_HELP_H
#define CURATOR_LOCK_HELP_H

/* Both print to standard output and answer the status to exit with. */
int print_help(void);
int print_version(void);

#endif
