/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a connection asks the system about descriptors: as much among thousands of others as alone. */
#include "scenario.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOREIGN 20000
#define ROUNDS 5

static atomic_long looks;

/* These stand before the C library's. */
ssize_t readlink(const char *path, char *target, size_t size)
{
    ssize_t (*real)(const char *, char *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "readlink");
    looks++;
    return real(path, target, size);
}

int stat(const char *path, struct stat *status)
{
    int (*real)(const char *, struct stat *);
    *(void **)&real = dlsym(RTLD_NEXT, "stat");
    looks++;
    return real(path, status);
}

struct dirent *readdir(DIR *directory)
{
    struct dirent *(*real)(DIR *);
    *(void **)&real = dlsym(RTLD_NEXT, "readdir");
    looks++;
    return real(directory);
}

static long looks_to_connect(const char *connect_string)
{
    long before = looks;
    for (int i = 0; i < ROUNDS; i++) {
        assert_ok(curator_framework_close(connected_client(connect_string)));
    }
    return looks - before;
}

/* As many as the limit permits. */
static int open_foreign(void)
{
    struct rlimit limit;
    int opened = 0;
    assert_that(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max < FOREIGN + 1000 ? limit.rlim_max : FOREIGN + 1000;
    assert_that(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while (opened < FOREIGN && opened + 200 < (int)limit.rlim_cur && open("/dev/null", O_RDONLY) >= 0) {
        opened++;
    }
    return opened;
}

int main(int argc, char **argv)
{
    const char *connect_string = scenario_argument(argc, argv, 1);
    long alone = looks_to_connect(connect_string);
    int foreign = open_foreign();
    assert_that(foreign >= 500);
    long among_others = looks_to_connect(connect_string);
    printf("%ld looks alone, %ld among %d other descriptors\n", alone, among_others, foreign);
    assert_that(among_others - alone < foreign / 2);
    return 0;
}
