"""Instruments: what is counted and measured in addition to throughput.

``canary`` distinguishes a disturbed moment from a quiet one, ``probe`` what this machine's caches
and memory do, ``callgrind`` and ``singlestep`` how many instructions a stage takes,
``memory_touches`` what it reads and writes. None of them knows a scenario: they are given command
lines and numbers.
"""
