/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks that are closed right after their opening, a little later each time: before, during, after the handshake.
 * Which of these it is does not matter to the test: all have to end alike.
 */
#include "scenario.h"

#define ROUNDS 100
#define STEP_NS 50000L

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    curator_framework_options options = {.connect_string = connect_string, .session_timeout_ms = 20000};
    for (int i = 0; i < ROUNDS; i++) {
        curator_framework *client = NULL;
        assert_ok(curator_framework_open(&client, &options));
        nanosleep(&(struct timespec){.tv_nsec = i % 20 * STEP_NS}, NULL);
        assert_ok(curator_framework_close(client));
    }
    return 0;
}
