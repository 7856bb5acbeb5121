"""Engine `simulate`: discrete events in simulated time, answered by the native core.

``_simulator`` is the compiled door (native/simulator/python); its stub is beside this file.
``planecast.engines.simulate.engine`` has the engine. It isn't imported here, so that the door can
be used by itself.
"""
