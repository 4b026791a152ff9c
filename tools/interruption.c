/* SPDX-License-Identifier: Apache-2.0 */
#include "interruption.h"

#include "message.h"
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The next signal that matters here; 0: the call is over. */
static int await_signal(const struct interruption *interruption)
{
    struct pollfd sources[] = {
        {.fd = interruption->signals, .events = POLLIN},
        {.fd = interruption->stop, .events = POLLIN},
    };
    for (;;) {
        poll(sources, sizeof sources / sizeof *sources, -1);
        if (sources[1].revents != 0) {
            return 0;
        }
        bool from_terminal;
        int number = signals_next(interruption->signals, &from_terminal);
        if (number == SIGTSTP) {
            signals_stop_ourselves();
        } else if (number != 0 && signal_ends_wait(number)) {
            return number;
        }
    }
}

static void *run(void *context)
{
    struct interruption *interruption = context;
    curator_framework *framework = interruption->framework;
    int number = await_signal(interruption);
    atomic_store(&interruption->signal, number); /* from here on *interruption may be gone */
    if (number != 0) {
        curator_framework_close(framework);
    }
    return NULL;
}

bool interruption_begin(struct interruption *interruption, int signals, curator_framework *framework)
{
    *interruption = (struct interruption){.signals = signals, .framework = framework};
    interruption->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int problem = interruption->stop < 0 ? errno : pthread_create(&interruption->thread, NULL, run, interruption);
    if (problem != 0) {
        complain("no thread for signals: %s", strerrordesc_np(problem));
        if (interruption->stop >= 0) {
            close(interruption->stop);
        }
    }
    return problem == 0;
}

int interruption_end(struct interruption *interruption, bool wait_for_close)
{
    eventfd_write(interruption->stop, 1);
    int number = atomic_load(&interruption->signal);
    if (number != 0 && !wait_for_close) {
        pthread_detach(interruption->thread);
        return number;
    }
    pthread_join(interruption->thread, NULL);
    close(interruption->stop);
    return atomic_load(&interruption->signal);
}
