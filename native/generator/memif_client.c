/* SPDX-License-Identifier: Apache-2.0
 *
 * The control channel. Messages have 128 bytes; each of ours is acknowledged but the last, which is
 * answered by "connected".
 */
#include "memif_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { VERSION = 2 << 8, NAME_BYTES = 32, SECRET_BYTES = 24, REASON_BYTES = 96, ANSWER_MS = 5000 };
enum { TO_SERVER = 1 }; /* flag of a ring: we send */
enum type { ACK = 1, HELLO, INIT, ADD_REGION, ADD_RING, CONNECT, CONNECTED, DISCONNECT };

struct __attribute__((packed)) hello {
    char name[NAME_BYTES];
    uint16_t least_version, most_version, last_region, rings_to_server, rings_to_client;
    uint8_t log2_slots;
};
struct __attribute__((packed)) init {
    uint16_t version;
    uint32_t id;
    uint8_t mode; /* 0: Ethernet */
    char secret[SECRET_BYTES], name[NAME_BYTES];
};
struct __attribute__((packed)) add_region {
    uint16_t index;
    uint64_t bytes;
};
struct __attribute__((packed)) add_ring {
    uint16_t flags, index, region;
    uint32_t offset;
    uint8_t log2_slots;
    uint16_t private_bytes;
};
struct __attribute__((packed)) message {
    uint16_t type;
    union {
        struct hello hello;
        struct init init;
        struct add_region add_region;
        struct add_ring add_ring;
        char name[NAME_BYTES]; /* of connect and connected */
        struct __attribute__((packed)) {
            uint32_t code;
            char reason[REASON_BYTES];
        } disconnect;
        uint8_t all[126];
    };
};
_Static_assert(sizeof(struct message) == 128, "memif 2.0's messages");

static bool fails(const struct memif *memif, const char *what, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "memif %s: %s", memif->path, what);
    return false;
}

/* Rings without a peer: no room to send, and nothing comes. A run may begin while nobody is there.
 */
static void without_peer(struct memif *memif)
{
    static struct memif_shared nobody;
    struct memif_ring ring = {.shared = &nobody, .mask = UINT32_MAX, .interrupt = -1};
    memif->send = ring;
    for (uint32_t i = 0; i < MEMIF_QUEUES_MAX; i++)
        memif->receive[i] = ring;
}

void memif_client_init(struct memif *memif, const char *path, uint32_t slots, uint32_t queues)
{
    *memif = (struct memif){.slots = slots, .queues = queues, .socket = -1, .memory = -1};
    snprintf(memif->path, sizeof memif->path, "%s", path);
    without_peer(memif);
}

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

void memif_client_close(struct memif *memif)
{
    close_descriptor(&memif->socket);
    close_descriptor(&memif->memory);
    close_descriptor(&memif->send.interrupt);
    for (uint32_t i = 0; i < MEMIF_QUEUES_MAX; i++)
        close_descriptor(&memif->receive[i].interrupt);
    if (memif->region != NULL)
        munmap(memif->region, memif->region_bytes);
    memif->region = NULL;
    without_peer(memif);
}

void memif_client_wake(const struct memif_ring *ring)
{
    const uint64_t one = 1;
    if (write(ring->interrupt, &one, sizeof one) < 0)
        return; /* its count is full: it was woken often enough */
}

/* ---- memory: the rings, to the server first, then their buffers in the same order */

static size_t ring_bytes(const struct memif *memif)
{
    return sizeof(struct memif_shared) + memif->slots * sizeof(struct memif_descriptor);
}

static void lay_ring(const struct memif *memif, struct memif_ring *ring, uint32_t number)
{
    size_t rings = (1 + memif->queues) * ring_bytes(memif);
    size_t buffers = rings + (size_t)number * memif->slots * MEMIF_STRIDE_BYTES;
    ring->shared = (struct memif_shared *)(memif->region + number * ring_bytes(memif));
    ring->buffers = memif->region + buffers;
    ring->mask = memif->slots - 1;
    ring->at = ring->peers_at = 0;
    ring->shared->cookie = MEMIF_COOKIE;
    ring->shared->flags = number == 0 ? 0 : MEMIF_POLLED; /* of a ring to us: we poll */
    for (uint32_t i = 0; i < memif->slots; i++)
        ring->shared->descriptor[i] = (struct memif_descriptor){
            .length = MEMIF_BUFFER_BYTES,
            .offset = (uint32_t)(buffers + (size_t)i * MEMIF_STRIDE_BYTES),
        };
}

static bool make_memory(struct memif *memif)
{
    memif->region_bytes =
        (1 + memif->queues) * (ring_bytes(memif) + (size_t)memif->slots * MEMIF_STRIDE_BYTES);
    memif->memory = memfd_create("planecast-memif", MFD_CLOEXEC);
    if (memif->memory < 0 || ftruncate(memif->memory, (off_t)memif->region_bytes) != 0)
        return false;
    uint8_t *region = mmap(NULL, memif->region_bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_POPULATE, memif->memory, 0);
    if (region == MAP_FAILED)
        return false;
    memif->region = region;
    lay_ring(memif, &memif->send, 0);
    memif->send.interrupt = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool fine = memif->send.interrupt >= 0;
    for (uint32_t i = 0; i < memif->queues && fine; i++) {
        lay_ring(memif, &memif->receive[i], 1 + i);
        memif->receive[i].interrupt = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        fine = memif->receive[i].interrupt >= 0;
    }
    return fine;
}

/* ---- messages */

static bool show(const struct memif *memif, struct message *message, int descriptor)
{
    struct iovec part = {message, sizeof *message};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    return sendmsg(memif->socket, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *message;
}

/* The server's next message, which has to be of this type. */
static bool hear(const struct memif *memif, enum type type, struct message *message, char *error,
                 size_t error_bytes)
{
    struct pollfd ready = {.fd = memif->socket, .events = POLLIN};
    if (poll(&ready, 1, ANSWER_MS) != 1)
        return fails(memif, "the server does not answer", error, error_bytes);
    ssize_t bytes = recv(memif->socket, message, sizeof *message, 0);
    if (bytes == (ssize_t)sizeof *message && message->type == type)
        return true;
    char what[REASON_BYTES + 32] = "the server hung up";
    if (bytes == (ssize_t)sizeof *message && message->type == DISCONNECT)
        snprintf(what, sizeof what, "the server refuses: %.*s", REASON_BYTES - 1,
                 message->disconnect.reason);
    return fails(memif, what, error, error_bytes);
}

static bool say(const struct memif *memif, struct message *message, int descriptor,
                enum type answer, char *error, size_t error_bytes)
{
    if (!show(memif, message, descriptor))
        return fails(memif, strerror(errno), error, error_bytes);
    return hear(memif, answer, message, error, error_bytes);
}

static bool say_ring(const struct memif *memif, const struct memif_ring *ring, uint16_t flags,
                     uint32_t index, char *error, size_t error_bytes)
{
    struct message message = {.type = ADD_RING};
    message.add_ring = (struct add_ring){
        .flags = flags,
        .index = (uint16_t)index,
        .offset = (uint32_t)((uint8_t *)ring->shared - memif->region),
        .log2_slots = (uint8_t)__builtin_ctz(memif->slots),
    };
    return say(memif, &message, ring->interrupt, ACK, error, error_bytes);
}

static bool introduce(const struct memif *memif, char *error, size_t error_bytes)
{
    struct message message;
    if (!hear(memif, HELLO, &message, error, error_bytes))
        return false;
    const struct hello hello = message.hello;
    if (hello.least_version > VERSION || hello.most_version < VERSION)
        return fails(memif, "the server does not speak version 2.0", error, error_bytes);
    if (memif->slots > 1U << hello.log2_slots || memif->queues > hello.rings_to_client + 1U)
        return fails(memif, "the server has no room for so many slots or queues", error,
                     error_bytes);
    message = (struct message){.type = INIT};
    message.init = (struct init){.version = VERSION, .name = "planecast-generator"};
    if (!say(memif, &message, -1, ACK, error, error_bytes))
        return false;
    message = (struct message){.type = ADD_REGION};
    message.add_region.bytes = memif->region_bytes;
    if (!say(memif, &message, memif->memory, ACK, error, error_bytes) ||
        !say_ring(memif, &memif->send, TO_SERVER, 0, error, error_bytes))
        return false;
    for (uint32_t i = 0; i < memif->queues; i++) {
        if (!say_ring(memif, &memif->receive[i], 0, i, error, error_bytes))
            return false;
    }
    message = (struct message){.type = CONNECT, .name = "planecast-generator"};
    return say(memif, &message, -1, CONNECTED, error, error_bytes);
}

bool memif_client_connect(struct memif *memif, char *error, size_t error_bytes)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (memif_client_is_up(memif))
        return true;
    memcpy(address.sun_path, memif->path, sizeof address.sun_path);
    memif->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool fine = memif->socket >= 0 &&
                connect(memif->socket, (struct sockaddr *)&address, sizeof address) == 0;
    if (!fine)
        fails(memif, strerror(errno), error, error_bytes);
    if (fine && !make_memory(memif))
        fine = fails(memif, "no memory for its rings", error, error_bytes);
    fine = fine && introduce(memif, error, error_bytes);
    if (!fine) {
        memif_client_close(memif);
        return false;
    }
    /* The server has emptied the rings; now it gets the buffers that it may fill. */
    for (uint32_t i = 0; i < memif->queues; i++)
        memif_give_back(&memif->receive[i], 0);
    return true;
}

bool memif_client_is_up(struct memif *memif)
{
    struct pollfd said = {.fd = memif->socket, .events = POLLIN};
    if (memif->socket < 0)
        return false;
    if (poll(&said, 1, 0) == 0) /* once connected it only ever says goodbye */
        return true;
    memif_client_close(memif);
    return false;
}
