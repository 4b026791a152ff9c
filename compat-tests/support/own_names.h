/* SPDX-License-Identifier: Apache-2.0 */
/* Name look-ups of a chosen duration: getaddrinfo() of this program replaces the C library's. */
#ifndef OWN_NAMES_H
#define OWN_NAMES_H

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int look_up_ms;           /* how long a look-up of this host's own name takes */
static atomic_int other_look_up_ms;     /* and of any other name */
static atomic_int quick_look_ups;       /* so many of other names take no time before that */
static atomic_llong names_fail_until;   /* until then (CLOCK_MONOTONIC, s) other names cannot be looked up */
static atomic_int look_ups_in_progress; /* of those */

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    char own[256] = "";
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    gethostname(own, sizeof own - 1);
    unsigned char address[16];
    bool numeric = (hints != NULL && (hints->ai_flags & AI_NUMERICHOST) != 0) ||
                   (name != NULL && (inet_pton(AF_INET, name, address) > 0 || inet_pton(AF_INET6, name, address) > 0));
    bool other = name != NULL && !numeric && strcmp(name, own) != 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (other && now.tv_sec < atomic_load(&names_fail_until)) {
        return EAI_AGAIN;
    }
    if (other && atomic_fetch_sub(&quick_look_ups, 1) > 0) {
        return real(name, service, hints, found);
    }
    int wait_ms = name == NULL || numeric  ? 0
                  : strcmp(name, own) == 0 ? atomic_load(&look_up_ms)
                                           : atomic_load(&other_look_up_ms);
    atomic_fetch_add(&look_ups_in_progress, 1);
    nanosleep(&(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L}, NULL);
    int rc = real(name, service, hints, found);
    atomic_fetch_sub(&look_ups_in_progress, 1);
    return rc;
}

#endif
