/* SPDX-License-Identifier: Apache-2.0
 *
 * Large pages for a program that runs with --no-huge, as planecast-dataplane has them: without a
 * reservation, without root, and nothing of the machine is changed.
 *
 * EAL's memory is a memfd of small pages, which the kernel can't enlarge. When it gets no memfd, it
 * takes anonymous memory, and that becomes large pages where madvise asks for them before the first
 * touch. So PLANECAST_METER_PAGES=2MiB refuses the one and says the other. Not for ports that share
 * memory with another process by its descriptor (virtio-user).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE_BYTES = 16 << 20 };

#define EXPORTED __attribute__((visibility("default")))

static bool wanted(void)
{
    const char *pages = getenv("PLANECAST_METER_PAGES");
    return pages != NULL && strcmp(pages, "2MiB") == 0;
}

EXPORTED int memfd_create(const char *name, unsigned flags)
{
    if (wanted() && strcmp(name, "nohuge") == 0) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

EXPORTED void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    long got = syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
    const int fixed = MAP_ANONYMOUS | MAP_FIXED;
    if (got != -1 && bytes >= LARGE_BYTES && (flags & fixed) == fixed &&
        (protection & PROT_WRITE) != 0 && wanted())
        madvise((void *)got, bytes, MADV_HUGEPAGE);
    return (void *)got;
}
