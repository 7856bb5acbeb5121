"""Room `cli`: the verbs, one file each. `verbs` is the table of them, `app` the program."""
