"""Engine `simulate`: discrete events in simulated time, answered by the native core.

``_simulator`` is the compiled door (native/simulator/python); its stub is beside this file.
"""
