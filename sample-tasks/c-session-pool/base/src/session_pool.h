/* Sessions of a server, kept in slabs so that accepting a connection rarely allocates.
 *
 * A session is either on the `live` list or on the `free_list`; both lists run through the `next` member
 * inside the slabs themselves. */
#ifndef SESSION_POOL_H
#define SESSION_POOL_H

#include <stddef.h>

#define SLAB_SESSIONS 4

struct session {
    struct session *next;
    int fd;
};

struct slab {
    struct slab *next;
    struct session sessions[SLAB_SESSIONS];
};

/* What the pool needs from its surroundings. `close_fd` is called exactly once per acquired session. */
struct pool_hooks {
    void *(*allocate)(size_t size);
    void (*release)(void *block);
    void (*close_fd)(int fd);
};

struct pool {
    struct pool_hooks hooks;
    struct slab *slabs;
    struct session *live; /* newest first */
    struct session *free_list;
    size_t in_use;
};

void pool_init(struct pool *pool, struct pool_hooks hooks);
struct session *pool_acquire(struct pool *pool, int fd);
void pool_return(struct pool *pool, struct session *session);
size_t pool_destroy(struct pool *pool);

#endif
