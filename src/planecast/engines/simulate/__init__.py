"""Engine `simulate`: discrete events in simulated time, answered by the native core.

``_simulator`` is the compiled module (native/simulator/python); its stub is in this folder.
``planecast.engines.simulate.engine`` has the engine. It isn't imported here, so that the
module can be used by itself.
"""
