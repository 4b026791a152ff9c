/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a simulated process. Each has a stack and a copy of the program's thread-local variables, which is put
 * in place while it runs.
 */
#include "task.h"

#include <assert.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size)
{
    (void)save;
    (void)bottom;
    (void)size;
}
static void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size)
{
    (void)save;
    (void)bottom;
    (void)size;
}
#endif

#define MAX_TASKS 64
#define STACK_BYTES (512 * 1024)
#define STACK_DISTANCE (4 * 1024 * 1024) /* farther than what valgrind takes for a large frame */
#define MAX_TLS 8192
#define START_OF_TIME (INT64_C(1000000) * MS)

struct task {
    ucontext_t context;
    char *stack;
    void *fake_stack;
    void *(*run)(void *context);
    void *argument;
    void *result;
    struct wait wait;
    bool used, finished;
    char tls[MAX_TLS];
};

static struct task tasks[MAX_TASKS];
static char *stacks;
static ucontext_t outside;
static const void *outside_stack;
static size_t outside_size;
static struct task *current;
static int64_t now = START_OF_TIME, slept;
static char *tls;
static size_t tls_size;
static char tls_initial[MAX_TLS];

bool (*task_preempted)(void);

static int find_tls(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            tls = info->dlpi_tls_data;
            tls_size = info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1; /* the first one is the program itself */
}

static void prepare(void)
{
    if (stacks != NULL) {
        return;
    }
    stacks = mmap(NULL, (size_t)MAX_TASKS * STACK_DISTANCE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(stacks != MAP_FAILED);
    dl_iterate_phdr(find_tls, NULL);
    assert(tls_size <= MAX_TLS);
    memcpy(tls_initial, tls, tls_size);
}

void tasks_reset(void)
{
    prepare();
    for (struct task *task = tasks; task < tasks + MAX_TASKS; task++) {
        task->used = false;
    }
    now = START_OF_TIME;
    slept = 0;
    current = NULL;
}

static void leave(struct task *task, bool for_good)
{
    __sanitizer_start_switch_fiber(for_good ? NULL : &task->fake_stack, outside_stack, outside_size);
    swapcontext(&task->context, &outside);
    __sanitizer_finish_switch_fiber(task->fake_stack, &outside_stack, &outside_size);
}

static void run_current(void)
{
    __sanitizer_finish_switch_fiber(NULL, &outside_stack, &outside_size);
    struct task *task = current;
    task->result = task->run(task->argument);
    task->finished = true;
    leave(task, true);
}

struct task *task_start(void *(*run)(void *), void *context)
{
    prepare();
    size_t i = 0;
    while (i < MAX_TASKS && tasks[i].used) {
        i++;
    }
    assert(i < MAX_TASKS);
    struct task *task = &tasks[i];
    task->run = run;
    task->argument = context;
    task->used = true;
    task->finished = false;
    task->wait = (struct wait){0};
    task->stack = stacks + i * STACK_DISTANCE;
    memcpy(task->tls, tls_initial, tls_size);
    getcontext(&task->context);
    task->context.uc_stack.ss_sp = task->stack;
    task->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&task->context, run_current, 0);
    return task;
}

void *task_result(const struct task *task)
{
    return task->result;
}

bool task_finished(const struct task *task)
{
    return task->finished;
}

void task_free(struct task *task)
{
    task->used = false;
}

struct task *task_by_number(unsigned long number)
{
    return number >= 1 && number <= MAX_TASKS ? &tasks[number - 1] : NULL;
}

unsigned long task_number(const struct task *task)
{
    return (unsigned long)(task - tasks) + 1;
}

struct task *task_current(void)
{
    return current;
}

void task_wait(struct wait wait)
{
    struct task *task = current;
    assert(task != NULL);
    task->wait = wait;
    leave(task, false);
    task->wait = (struct wait){0};
}

int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);

static bool is_free(pthread_mutex_t *mutex)
{
    if (pthread_mutex_trylock(mutex) != 0) {
        return false;
    }
    __real_pthread_mutex_unlock(mutex);
    return true;
}

bool task_is_preempted(const struct task *task)
{
    return task->wait.preempted;
}

static bool can_run(const struct task *task)
{
    const struct wait *wait = &task->wait;
    if (!task->used || task->finished) {
        return false;
    }
    if (wait->mutex != NULL) {
        return is_free(wait->mutex);
    }
    if (wait->task != NULL) {
        return wait->task->finished;
    }
    if (wait->condition != NULL || wait->flag != NULL || wait->until != 0) {
        return wait->until <= now || (wait->flag != NULL && *wait->flag);
    }
    return true;
}

void task_signal(const pthread_cond_t *condition, bool all)
{
    for (struct task *task = tasks; task < tasks + MAX_TASKS; task++) {
        if (task->used && task->wait.condition == condition) {
            task->wait = (struct wait){0};
            if (!all) {
                return;
            }
        }
    }
}

bool task_any_runnable(void)
{
    for (const struct task *task = tasks; task < tasks + MAX_TASKS; task++) {
        if (can_run(task)) {
            return true;
        }
    }
    return false;
}

bool task_run_this(struct task *task)
{
    if (!can_run(task)) {
        return false;
    }
    current = task;
    memcpy(tls, task->tls, tls_size);
    void *fake_stack = NULL;
    __sanitizer_start_switch_fiber(&fake_stack, task->stack, STACK_BYTES);
    swapcontext(&outside, &task->context);
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
    memcpy(task->tls, tls, tls_size);
    current = NULL;
    return true;
}

bool task_run(uint64_t choice)
{
    struct task *runnable[MAX_TASKS];
    size_t count = 0;
    for (struct task *task = tasks; task < tasks + MAX_TASKS; task++) {
        if (can_run(task)) {
            runnable[count++] = task;
        }
    }
    if (count == 0) {
        return false;
    }
    return task_run_this(runnable[choice % count]);
}

int task_unfinished(void)
{
    int count = 0;
    for (const struct task *task = tasks; task < tasks + MAX_TASKS; task++) {
        count += task->used && !task->finished;
    }
    return count;
}

int64_t task_next_deadline(void)
{
    int64_t first = FOREVER;
    for (const struct task *task = tasks; task < tasks + MAX_TASKS; task++) {
        if (task->used && !task->finished && task->wait.until != 0 && task->wait.until < first) {
            first = task->wait.until;
        }
    }
    return first;
}

int64_t time_now(void)
{
    return now;
}

void time_advance(int64_t nanoseconds)
{
    now += nanoseconds;
}

void time_sleep_machine(int64_t nanoseconds)
{
    slept += nanoseconds;
}

int64_t time_slept(void)
{
    return slept;
}
