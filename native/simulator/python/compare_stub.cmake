# cmake -DBUILT=… -DKEPT=… -P compare_stub.cmake: the stub in the source tree is the built one, but
# for an empty line more, which the formatter doesn't like.
file(READ "${BUILT}" built)
file(READ "${KEPT}" kept)
string(REPLACE "\n\n\n" "\n\n" built "${built}")
if(NOT built STREQUAL kept)
  message(FATAL_ERROR "${KEPT} is not what the module looks like now: copy ${BUILT} over it and "
                      "run ruff format")
endif()
