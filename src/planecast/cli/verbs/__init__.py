"""The table of verbs: their groups in the help, and a line of each.

A verb is a module ``cli/verbs/<verb>`` with a function of that name, the command. One with commands
of its own has ``register(app)`` instead, which adds them to the app.
"""

GROUPS: dict[str, dict[str, str]] = {
    "Measure": {
        "init": "Write a scenario to begin with, of the data plane that you name.",
        "measure": "Forward packets and measure a scenario.",
        "bench": "Which of two scenarios is faster, measured in turns on the same CPU.",
        "search": "The highest loads that a data plane takes: NDR, PDR, RFC 2544, RFC 9004, soak.",
        "curve": "Loss and latency against offered load, measured and simulated.",
        "survey": "Data planes side by side under what varies, as the documents' tables.",
        "dataplane": "Start the data plane of a scenario, and keep it.",
        "generator": "Send packets, driven over HTTP by Open Traffic Generator's clients.",
    },
    "Explain": {
        "explain": "Where the cycles go, what limits, what to try next.",
        "profile": "Count instructions by stage.",
    },
    "Predict": {
        "predict": "Answer a scenario by the model.",
        "explore": "A local page that answers while you move sliders.",
        "calibrate": "Fit the model to measured configurations.",
        "validate": "Calibrate on some points, predict the others, measure them, print the error.",
        "sweep": "Very many points by the model, over all cores or a Dask cluster.",
        "optimise": "The cheapest placement or machine that meets a rate, loss and latency.",
        "sensitivity": "Which component and which number matter: tornado and Sobol.",
        "bounds": "The upper bounds that no upgrade can exceed.",
    },
    "Partition": {
        "partition": "Give the data plane its share of threads, cache, bandwidth and clock.",
    },
    "Results": {
        "report": "One offline HTML file of a run, or of several side by side.",
        "compare": "Runs side by side.",
        "query": "SQL over all runs.",
        "history": "Scenarios over many runs: levels, regressions, versions side by side.",
        "reproduce": "The published documents' figures against ours.",
        "export": "Results for other programs: Prometheus.",
    },
    "This machine": {
        "doctor": "What this machine can measure, what disturbs it, how to fix it.",
        "machine": "The machines and cards of the catalogue, and this host's own entry.",
        "schema": "JSON Schema of the files you write, for your editor.",
    },
}
"""Each verb and its line in the help, by group; most used first."""

VERBS = {verb: line for verbs in GROUPS.values() for verb, line in verbs.items()}
"""Each verb and its line."""
