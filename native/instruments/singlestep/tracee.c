#define _GNU_SOURCE
#include "tracee.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

volatile sig_atomic_t tracee_interrupted;

static void child(char **command)
{
    /* The same addresses on every run, so that two runs take the same branches. */
    personality(ADDR_NO_RANDOMIZE);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        perror("planecast-singlestep: ptrace");
        _exit(126);
    }
    execvp(command[0], command);
    fprintf(stderr, "planecast-singlestep: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

bool tracee_start(struct tracee *t, char **command)
{
    memset(t, 0, sizeof(*t));
    t->pid = fork();
    if (t->pid == 0)
        child(command);
    return t->pid > 0;
}

void tracee_kill(struct tracee *t)
{
    if (t->pid <= 0)
        return;
    kill(t->pid, SIGKILL);
    while (waitpid(t->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    t->pid = 0;
}

/* Lets it continue in this way and waits for what comes; -1 for no event of interest yet. */
static enum tracee_event wait_for_event(struct tracee *t, bool stepping, bool *again)
{
    int status;
    *again = false;
    while (waitpid(t->pid, &status, __WALL) < 0) {
        if (errno != EINTR)
            return TRACEE_LOST;
        if (tracee_interrupted)
            break;
    }
    if (tracee_interrupted) {
        tracee_kill(t);
        return TRACEE_INTERRUPTED;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
        t->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        t->pid = 0;
        return TRACEE_ENDED;
    }
    if (WSTOPSIG(status) == SIGSTOP)
        return TRACEE_STOPPED;
    if (WSTOPSIG(status) == SIGTRAP && stepping)
        return TRACEE_STEPPED;
    *again = true;
    /* The SIGTRAP of a successful exec is ptrace's own; every other signal is the program's. */
    t->signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    return TRACEE_STOPPED;
}

static enum tracee_event resume(struct tracee *t, bool stepping)
{
    static bool option_set;
    bool again;
    if (!option_set) { /* the stop at exec */
        enum tracee_event event = wait_for_event(t, false, &again);
        if (!again)
            return event == TRACEE_STOPPED ? TRACEE_LOST : event;
        option_set = true;
        ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL);
    }
    enum tracee_event event;
    do {
        void *signal = (void *)(uintptr_t)t->signal;
        t->signal = 0;
        if (ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, t->pid, NULL, signal) != 0 &&
            errno != ESRCH)
            return TRACEE_LOST;
        event = wait_for_event(t, stepping, &again);
    } while (again);
    return event;
}

enum tracee_event tracee_run(struct tracee *t)
{
    return resume(t, false);
}

enum tracee_event tracee_step(struct tracee *t)
{
    return resume(t, true);
}

bool tracee_pointers(const struct tracee *t, uint64_t *instruction, uint64_t *stack)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, t->pid, NULL, &registers) != 0)
        return false;
    *instruction = registers.rip;
    *stack = registers.rsp;
    return true;
}

size_t tracee_read(void *tracee, uint64_t address, uint8_t *bytes, size_t size)
{
    const struct tracee *t = tracee;
    struct iovec ours = {bytes, size};
    struct iovec theirs = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(t->pid, &ours, 1, &theirs, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

/* The CPU that its main thread ran on last; -1 if the kernel does not report. */
static int cpu_of(const struct tracee *t)
{
    char path[64], text[1024];
    int cpu = -1;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)t->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    /* proc(5): the processor is field 39; the name, field 2, may hold blanks but ends with ')'. */
    const char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at != NULL && sscanf(at, "%d", &cpu) == 1 && cpu < CPU_SETSIZE ? cpu : -1;
}

void tracee_join_cpu(struct tracee *t)
{
    cpu_set_t set;
    int cpu = cpu_of(t);
    if (cpu < 0 || sched_getaffinity(t->pid, sizeof(t->allowed), &t->allowed) != 0)
        return; /* only slower */
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(t->pid, sizeof(set), &set);
    sched_setaffinity(0, sizeof(set), &set);
}

void tracee_leave_cpu(const struct tracee *t)
{
    if (CPU_COUNT(&t->allowed) > 0)
        sched_setaffinity(t->pid, sizeof(t->allowed), &t->allowed);
}
