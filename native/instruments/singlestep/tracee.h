/* The traced program: started, run to a SIGSTOP of its own, stepped, ended. */
#ifndef PLANECAST_SINGLESTEP_TRACEE_H
#define PLANECAST_SINGLESTEP_TRACEE_H

#include <sched.h> /* cpu_set_t: with _GNU_SOURCE */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Set by a signal handler: everything below then ends the program and returns TRACEE_INTERRUPTED.
 */
extern volatile sig_atomic_t tracee_interrupted;

enum tracee_event {
    TRACEE_STOPPED,     /* it raised SIGSTOP */
    TRACEE_STEPPED,     /* one instruction done */
    TRACEE_ENDED,       /* its exit code is in `status` */
    TRACEE_INTERRUPTED, /* and killed */
    TRACEE_LOST,        /* ptrace failed: errno says why */
};

struct tracee {
    pid_t pid;
    int status;        /* exit code once it has ended; 128 + the signal that killed it */
    int signal;        /* to hand over when it continues */
    cpu_set_t allowed; /* its CPUs before tracee_join_cpu */
};

/* False if it could not be started; a program that can't be executed ends with status 127. */
bool tracee_start(struct tracee *t, char **command);

/* Runs without limits until it raises SIGSTOP or ends. SIGSTOP itself is swallowed, other signals
 * pass. */
enum tracee_event tracee_run(struct tracee *t);

/* Runs one instruction of the main thread. Other threads run without limits. */
enum tracee_event tracee_step(struct tracee *t);

/* Kills it if it is still there. */
void tracee_kill(struct tracee *t);

bool tracee_pointers(const struct tracee *t, uint64_t *instruction, uint64_t *stack);

/* Reads memory of a struct tracee; how many bytes could be read. */
size_t tracee_read(void *tracee, uint64_t address, uint8_t *bytes, size_t size);

/*
 * Puts us and its main thread on the CPU where that runs: a step is then a switch on one CPU, not a
 * wake-up of another, three times as fast. The other undoes it for the program.
 */
void tracee_join_cpu(struct tracee *t);
void tracee_leave_cpu(const struct tracee *t);

#endif
