/* SPDX-License-Identifier: Apache-2.0 */
#include "control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "exit_code.h"
#include "requests.h"

/* Runs what the words after `trial` ask for. EXIT_DONE also when they can't be done: that is
 * answered. */
static int answer_request(struct dataplane *dataplane, const char *words, struct window **windows)
{
    char error[512];
    struct trial trial = trial_default(dataplane);
    if (!trial_parse(dataplane, words, &trial, error, sizeof error)) {
        answer_error(stdout, error);
        return answer_end(stdout);
    }
    size_t count = (size_t)trial.windows * trial.traffic.lcores;
    struct window *larger = realloc(*windows, count * sizeof **windows);
    if (larger == NULL) {
        answer_error(stdout, "no memory for so many windows");
        return answer_end(stdout);
    }
    *windows = larger;
    struct totals before = dataplane_totals(dataplane);
    if (!trial_run(dataplane, &trial, *windows, false)) {
        answer_error(stdout, "an lcore could not be started");
        return answer_end(stdout);
    }
    struct totals after = dataplane_totals(dataplane);
    struct totals ours = totals_since(&after, &before);
    answer_trial(stdout, dataplane, &trial, *windows, &ours);
    return totals_conserved(&ours) ? answer_end(stdout) : answer_not_conserved();
}

int control_serve(struct dataplane *dataplane)
{
    static struct requests requests;
    struct window *windows = NULL;
    char *line = NULL;
    const char *rest = NULL;
    requests_open(&requests, STDIN_FILENO);
    answer_ready(stdout, dataplane);
    int code = answer_end(stdout);
    while (code == EXIT_DONE && !dataplane->stop) {
        enum request_kind kind = requests_next(&requests, &line);
        if (kind == REQUEST_END || (kind == REQUEST_LINE && request_begins(line, "quit", &rest)))
            break;
        if (kind == REQUEST_LINE && request_begins(line, "trial", &rest)) {
            code = answer_request(dataplane, rest, &windows);
        } else {
            answer_error(stdout, kind == REQUEST_TOO_LONG
                                     ? "a request takes up to 1023 bytes"
                                     : "requests are: trial key=value …, quit");
            code = answer_end(stdout);
        }
    }
    free(windows);
    return dataplane->stop ? EXIT_INTERRUPTED : code;
}
