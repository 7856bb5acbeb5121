/* SPDX-License-Identifier: Apache-2.0 */
#include "control.h"

#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "exit_code.h"
#include "request.h"
#include "requests.h"

enum { ERROR_BYTES = 1024 };

/* False with the error answered. */
static bool start(struct generator *generator, const char *words)
{
    char error[ERROR_BYTES];
    double seconds = 0;
    if (generator->running && generator->sending_done)
        generator_wait(generator); /* it drains: that has an end */
    if (generator->running) {
        answer_error(stdout, "a run is under way; stop it, or wait for its end");
        return false;
    }
    if (request_read(&generator->config, words, &generator->asked, &seconds, error, sizeof error) &&
        generator_start(generator, seconds, error, sizeof error))
        return true;
    answer_error(stdout, error);
    return false;
}

static void finish(struct generator *generator)
{
    generator_wait(generator);
    answer_run(stdout, generator, true);
}

static void show(struct generator *generator, const char *what)
{
    if (!generator->begun) {
        answer_error(stdout, "there was no run yet; start one");
        return;
    }
    if (strcmp(what, "stats") == 0) {
        if (generator->running && !generator_at_work())
            generator_wait(generator);
        answer_run(stdout, generator, false);
        return;
    }
    if (strcmp(what, "stop") == 0)
        atomic_store(&generator->halt, true);
    finish(generator);
}

static void answer_request(struct generator *generator, const char *line)
{
    const char *rest = NULL;
    if (request_begins(line, "start", &rest)) {
        if (start(generator, rest)) {
            fprintf(stdout, "{\"started\": {\"streams\": %u}}\n", generator->stream_count);
            fflush(stdout);
        }
    } else if (request_begins(line, "run", &rest)) {
        if (start(generator, rest))
            finish(generator);
    } else if (request_begins(line, "stats", &rest)) {
        show(generator, "stats");
    } else if (request_begins(line, "stop", &rest)) {
        show(generator, "stop");
    } else if (request_begins(line, "wait", &rest)) {
        show(generator, "wait");
    } else {
        answer_error(stdout, "requests are: start key=value …, run key=value …, stats, wait, stop, "
                             "quit");
    }
}

int control_serve(struct generator *generator)
{
    static struct requests requests;
    char *line = NULL;
    const char *rest = NULL;
    requests_open(&requests, STDIN_FILENO);
    answer_ready(stdout, generator);
    int code = answer_end(stdout);
    while (code == EXIT_DONE && !generator->stop) {
        enum request_kind kind = requests_next(&requests, &line);
        if (kind == REQUEST_END || (kind == REQUEST_LINE && request_begins(line, "quit", &rest)))
            break;
        if (kind == REQUEST_TOO_LONG)
            answer_error(stdout, "a request takes up to 1023 bytes");
        else
            answer_request(generator, line);
        code = answer_end(stdout);
    }
    if (generator->running) { /* nobody asked for its end, but it has one, which is reported */
        atomic_store(&generator->halt, true);
        finish(generator);
    }
    return generator->stop ? EXIT_INTERRUPTED : code;
}
