/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations and thread starts that fail on request. */
#include "fallible.h"

#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void __real_free(void *block);
int __real_open(const char *path, int flags, ...);
DIR *__real_opendir(const char *path);
int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found);
int __real_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void __wrap_free(void *block);
int __wrap_open(const char *path, int flags, ...);
DIR *__wrap_opendir(const char *path);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the plan; taken inside of all other locks */
static struct {
    bool armed, postponed, all_after;
    enum fallible_kind kind;
    int nth, seen, refused;
} plan;
static atomic_long live_blocks;
static _Thread_local bool exempt;

void fallible_arm(enum fallible_kind kind, int nth, bool all_after)
{
    pthread_mutex_lock(&mutex);
    plan.armed = true;
    plan.all_after = all_after;
    plan.kind = kind;
    plan.nth = nth;
    plan.seen = plan.refused = 0;
    pthread_mutex_unlock(&mutex);
}

static void set_postponed(bool postponed)
{
    pthread_mutex_lock(&mutex);
    plan.postponed = postponed;
    pthread_mutex_unlock(&mutex);
}

void fallible_postpone(void)
{
    set_postponed(true);
}

void fallible_begin(void)
{
    set_postponed(false);
}

int fallible_disarm(void)
{
    pthread_mutex_lock(&mutex);
    plan.armed = false;
    plan.postponed = false;
    int refused = plan.refused;
    pthread_mutex_unlock(&mutex);
    return refused;
}

int fallible_refused(void)
{
    pthread_mutex_lock(&mutex);
    int refused = plan.refused;
    pthread_mutex_unlock(&mutex);
    return refused;
}

void fallible_exempt_this_thread(void)
{
    exempt = true;
}

long fallible_live_blocks(void)
{
    return atomic_load(&live_blocks);
}

static bool refuse(enum fallible_kind kind)
{
    bool refused = false;
    pthread_mutex_lock(&mutex);
    if (plan.armed && !plan.postponed && plan.kind == kind && !exempt) {
        plan.seen++;
        refused = plan.seen == plan.nth || (plan.all_after && plan.seen > plan.nth);
        plan.refused += refused;
    }
    pthread_mutex_unlock(&mutex);
    if (refused) {
        errno = kind == FALLIBLE_MEMORY ? ENOMEM : EAGAIN;
    }
    return refused;
}

static void *counted(void *block)
{
    if (block != NULL) {
        atomic_fetch_add(&live_blocks, 1);
    }
    return block;
}

void *__wrap_malloc(size_t size)
{
    return refuse(FALLIBLE_MEMORY) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse(FALLIBLE_MEMORY) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (refuse(FALLIBLE_MEMORY)) {
        return NULL;
    }
    return block == NULL ? counted(__real_realloc(NULL, size)) : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    return refuse(FALLIBLE_MEMORY) ? NULL : counted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t length)
{
    return refuse(FALLIBLE_MEMORY) ? NULL : counted(__real_strndup(text, length));
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    if (refuse(FALLIBLE_MEMORY)) {
        *text = (char *)(uintptr_t)1; /* undefined, according to the manual */
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        counted(*text);
    }
    return length;
}

void __wrap_free(void *block)
{
    if (block != NULL) {
        atomic_fetch_sub(&live_blocks, 1);
    }
    __real_free(block);
}

/* Nothing here makes a file, so there is no third argument. */
int __wrap_open(const char *path, int flags, ...)
{
    return refuse(FALLIBLE_MEMORY) ? -1 : __real_open(path, flags);
}

DIR *__wrap_opendir(const char *path)
{
    return refuse(FALLIBLE_MEMORY) ? NULL : __real_opendir(path);
}

int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    return refuse(FALLIBLE_MEMORY) ? EAI_MEMORY : __real_getaddrinfo(node, service, hints, found);
}

int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    return refuse(FALLIBLE_MEMORY) ? ENOMEM : __real_pthread_cond_init(condition, attributes);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
    if (refuse(FALLIBLE_THREADS)) {
        return EAGAIN;
    }
    return __real_pthread_create(thread, attributes, run, context);
}
