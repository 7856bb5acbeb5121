# What the programs on static libdpdk share: the sources of this folder, and how a program is compiled.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(DPDK REQUIRED libdpdk)

set(PLANECAST_DPDK_SOURCES buffers.c options.c keys.c key_types.c ini.c numbers.c requests.c json.c cpus.c
    eal_arguments.c eal_start.c interrupts.c pages.c unmap.c)
list(TRANSFORM PLANECAST_DPDK_SOURCES PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
set(PLANECAST_DPDK_FOLDER "${CMAKE_CURRENT_LIST_DIR}")

# The drivers of every program here, linked whole, for they register themselves when they are loaded;
# and the libraries that these need. Names of archives.
set(drivers mempool_ring bus_vdev bus_pci net_null net_ring net_pcap net_memif net_af_packet net_tap
    net_vhost net_virtio)
list(TRANSFORM drivers REPLACE "(.+)" "-l:librte_\\1.a")
set(PLANECAST_DPDK_DRIVERS -Wl,--whole-archive ${drivers} -Wl,--no-whole-archive)
set(PLANECAST_DPDK_LIBRARIES vhost cryptodev dmadev gso ethdev hash rcu mempool mbuf net ring pci kvargs
    meter telemetry timer security ip_frag eal)

# pkg-config brings DPDK's own baseline, -march=corei7; ours stands in its place.
set(DPDK_FLAGS ${DPDK_CFLAGS_OTHER})
list(FILTER DPDK_FLAGS EXCLUDE REGEX "^-march=")

function(planecast_dpdk_program name march)
  set_target_properties(${name} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS ON)
  # Prefetching for a write and a few others are "experimental" in DPDK's sense since years.
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE ALLOW_EXPERIMENTAL_API)
  target_include_directories(${name} PRIVATE "${PLANECAST_DPDK_FOLDER}")
  target_include_directories(${name} SYSTEM PRIVATE ${DPDK_INCLUDE_DIRS})
  # Vectors pass between functions of one file only: how others would pass them is all the same.
  target_compile_options(${name} PRIVATE ${DPDK_FLAGS} -O3 -g -march=${march} -Wall -Wextra -Werror
                         -Wno-psabi)
  target_link_directories(${name} PRIVATE ${DPDK_STATIC_LIBRARY_DIRS})
  target_link_options(${name} PRIVATE -Wl,--wrap=munmap) # unmap.c
endfunction()

# DPDK's own inline functions load and store where they like, so alignment is not looked at.
function(planecast_dpdk_sanitize name sanitizers)
  target_compile_options(${name} PRIVATE -fsanitize=${sanitizers} -fno-sanitize=alignment
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${name} PRIVATE -fsanitize=${sanitizers})
endfunction()
