/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include "exit_status.h"
#include "message.h"

#include <curator/curator.h>
#include <stdio.h>

/* At most 24 lines of 80 columns: a terminal's screen. */
static const char help[] = "Usage: curator-lock [run] [OPTION]... PATH [--] COMMAND [ARGUMENT]...\n"
                           "       curator-lock [run] [OPTION]... PATH -c STRING      run it by /bin/sh\n"
                           "       curator-lock hold [OPTION]... PATH       until standard input ends\n"
                           "       curator-lock list [--format=table|json] [--watch] PATH...\n"
                           "       curator-lock test PATH                   0: free, 1: held\n"
                           "       curator-lock revoke NODE | --holder PATH | --all PATH\n"
                           "A lock for a fleet, shared with Apache Curator. T is 500ms, 1.5s, 2m or 1h.\n"
                           "  -z, --servers LIST     HOST:PORT,... (CURATOR_SERVERS; 127.0.0.1:2181)\n"
                           "  --session-timeout T, --connection-timeout T     15s each\n"
                           "  --name-space NAME, --data TEXT, --auth-file FILE (scheme:credentials)\n"
                           "  -x, --exclusive        the mutex (default). It does not meet these two:\n"
                           "  -s, --shared; --write  the sides of the read-write lock on PATH\n"
                           "  -n, --nonblock         try once; -w, --wait T: wait at most T\n"
                           "  -E, --conflict-exit-code N     for \"not obtained\", 0 to 255 (1)\n"
                           "  -k, --grace T          on loss, between signal and KILL: 5s, at most a quarter\n"
                           "                         of the session; --signal NAME: TERM\n"
                           "  --on-lost kill|term|ignore     kill: signal, then KILL; term: signal only\n"
                           "  --revocable            when asked for the lock, signal the command\n"
                           "  --foreground           leave the command in our process group\n"
                           "  --compress (as Java's enableCompression()), -v, -q, --help, --version\n"
                           "Exit status: the command's; 1 or -E not obtained; 75 lost; 64 usage;\n"
                           "69 no server; 71 system; 77 refused; 126, 127 as a shell; 128+N: by signal N.\n";

static int printed(void)
{
    if (fflush(stdout) != 0) {
        complain("standard output cannot be written");
        return EXIT_SYSTEM;
    }
    return EXIT_DONE;
}

int print_help(void)
{
    fputs(help, stdout);
    return printed();
}

int print_version(void)
{
    printf("curator-lock %s\n", curator_version());
    return printed();
}
