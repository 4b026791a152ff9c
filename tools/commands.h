/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. argv[0] is the command's name; each answers the exit status. */
#ifndef CURATOR_LOCK_COMMANDS_H
#define CURATOR_LOCK_COMMANDS_H

int command_run(int argc, char **argv);
int command_hold(int argc, char **argv);
int command_list(int argc, char **argv);
int command_test(int argc, char **argv);
int command_revoke(int argc, char **argv);

#endif
