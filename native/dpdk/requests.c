/* SPDX-License-Identifier: Apache-2.0 */
#include "requests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "exit_code.h"
#include "json.h"

static atomic_bool *signalled;
static int wake[2]; /* read end, write end */

static void on_signal(int number)
{
    int saved = errno;
    (void)number;
    atomic_store(signalled, true);
    if (write(wake[1], "", 1) < 0) {
        /* the pipe is full of earlier signals: as good */
    }
    errno = saved;
}

bool requests_catch_signals(atomic_bool *stop)
{
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    signalled = stop;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* Whoever read our answers may be gone: then writing fails, and we end in good order. */
    signal(SIGPIPE, SIG_IGN);
    return true;
}

void requests_open(struct requests *requests, int input)
{
    requests->input = input;
    requests->used = 0;
    requests->line = 0;
    requests->skipping = false;
}

/* False at the end of the input, and when a signal came. */
static bool fill(struct requests *requests)
{
    struct pollfd ready[2] = {{.fd = requests->input, .events = POLLIN},
                              {.fd = wake[0], .events = POLLIN}};
    while (poll(ready, 2, -1) < 0) {
        if (errno != EINTR)
            return false;
    }
    if (atomic_load(signalled))
        return false;
    ssize_t bytes = read(requests->input, requests->buffer + requests->used,
                         sizeof requests->buffer - requests->used);
    if (bytes <= 0)
        return bytes < 0 && (errno == EINTR || errno == EAGAIN);
    requests->used += (size_t)bytes;
    return true;
}

static void forget(struct requests *requests, size_t bytes)
{
    requests->used -= bytes;
    memmove(requests->buffer, requests->buffer + bytes, requests->used);
}

enum request_kind requests_next(struct requests *requests, char **line)
{
    forget(requests, requests->line);
    requests->line = 0;
    for (;;) {
        char *end = memchr(requests->buffer, '\n', requests->used);
        if (end != NULL) {
            *end = '\0';
            *line = requests->buffer;
            requests->line = (size_t)(end - requests->buffer) + 1;
            bool skipped = requests->skipping;
            requests->skipping = false;
            return skipped ? REQUEST_TOO_LONG : REQUEST_LINE;
        }
        if (requests->used == sizeof requests->buffer) {
            requests->skipping = true;
            requests->used = 0;
        }
        if (!fill(requests))
            return REQUEST_END;
    }
}

bool request_begins(const char *line, const char *word, const char **rest)
{
    line += strspn(line, " \t");
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || strchr(" \t\r", line[length]) == NULL)
        return false;
    *rest = line + length;
    return true;
}

void answer_error(FILE *out, const char *error)
{
    fprintf(out, "{\"error\": ");
    json_put_string(out, error);
    fprintf(out, "}\n");
    fflush(out);
}

int answer_end(FILE *out)
{
    return fflush(out) == 0 && !ferror(out) ? EXIT_DONE : EXIT_FAILED;
}
