# What the projects in these folders share. Each builds alone (cmake -S native/simulator), or as a
# folder of the whole.
if(PROJECT_IS_TOP_LEVEL)
  option(PLANECAST_TESTS "Build the native tests" ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  include(CTest)
endif()
set(PLANECAST_MARCH "native" CACHE STRING
    "Instruction set the native code is compiled for (-march)")
set(PLANECAST_SANITIZE "" CACHE STRING "Sanitizers for all of it, such as address,undefined")

# Sets GTest_FOUND, or says whose tests aren't built.
macro(planecast_find_gtest whose)
  find_package(GTest)
  if(NOT GTest_FOUND)
    message(STATUS "planecast: GoogleTest not found: ${whose} native tests aren't built "
                   "(Debian: apt-get install libgtest-dev)")
  endif()
endmacro()

# A program of tests: what it calls is compiled as the programs are, its own files in C++ quickly,
# for their assertions took two thirds of a build's CPU time, with lines for a sanitizer's report.
function(planecast_tests name)
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O0;-g1>")
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  target_link_libraries(${name} PRIVATE GTest::gtest)
endfunction()

# Sets nanobind_FOUND, or says whose Python binding isn't built. pip brings nanobind.
macro(planecast_find_nanobind whose)
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module QUIET)
  if(Python_FOUND)
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
      OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET)
    find_package(nanobind CONFIG QUIET)
  endif()
  if(NOT nanobind_FOUND)
    message(STATUS "planecast: nanobind, or Python's headers, not found: ${whose} Python module "
                   "isn't built (pip install nanobind)")
  endif()
endmacro()

# A Python module that describes a library to nanobind. It is called a few times for each answer, so
# it is compiled quickly rather than to be quick. nanobind's own library as two sources, not fifteen,
# each of which reads the same headers: a fifth of the model's and simulator's build.
function(planecast_python_module name library)
  nanobind_add_module(${name} NB_STATIC NOMINSIZE ${ARGN})
  set_target_properties(nanobind-static PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PRIVATE ${library})
endfunction()

# A library in C++20, which knows nothing of Python.
function(planecast_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE
    -Wall -Wextra -Wconversion -Wshadow -Werror -march=${PLANECAST_MARCH}
    $<$<CONFIG:Release>:-O3>)
endfunction()
