#include "session_pool.h"

/* Starts without slabs; the first acquire makes one. */
void pool_init(struct pool *pool, struct pool_hooks hooks)
{
    pool->hooks = hooks;
    pool->slabs = NULL;
    pool->live = NULL;
    pool->free_list = NULL;
    pool->in_use = 0;
}

/* Adds one slab and puts its sessions on the free list, lowest address first. Returns -1 without memory. */
static int add_slab(struct pool *pool)
{
    struct slab *slab = pool->hooks.allocate(sizeof *slab);
    if (slab == NULL)
        return -1;

    slab->next = pool->slabs;
    pool->slabs = slab;
    for (size_t i = SLAB_SESSIONS; i-- > 0;) {
        slab->sessions[i].next = pool->free_list;
        slab->sessions[i].fd = -1;
        pool->free_list = &slab->sessions[i];
    }
    return 0;
}

/* Gives every slab back to the allocator. */
static void release_slabs(struct pool *pool)
{
    while (pool->slabs != NULL) {
        struct slab *slab = pool->slabs;
        pool->slabs = slab->next;
        pool->hooks.release(slab);
    }
}

/* Takes a free session for the connection `fd`, or NULL when memory is short. The pool owns `fd` from then on. */
struct session *pool_acquire(struct pool *pool, int fd)
{
    if (pool->free_list == NULL && add_slab(pool) != 0)
        return NULL;

    struct session *session = pool->free_list;
    pool->free_list = session->next;
    session->fd = fd;
    session->next = pool->live;
    pool->live = session;
    pool->in_use++;
    return session;
}

/* Ends one session: closes its connection and makes the slot free again. */
void pool_return(struct pool *pool, struct session *session)
{
    struct session **link = &pool->live;
    while (*link != NULL && *link != session)
        link = &(*link)->next;
    if (*link == NULL)
        return; /* not live: returned before */

    *link = session->next;
    pool->hooks.close_fd(session->fd);
    session->fd = -1;
    session->next = pool->free_list;
    pool->free_list = session;
    pool->in_use--;
}

/* Shuts down: closes the connections of all live sessions, newest first, and gives all memory back.
 * Returns how many connections were still open. The pool is empty afterwards and may be used again. */
size_t pool_destroy(struct pool *pool)
{
    size_t closed = 0;

    while (pool->live != NULL) {
        struct session *session = pool->live;
        pool->live = session->next;
        pool->hooks.close_fd(session->fd);
        closed++;
    }
    release_slabs(pool);
    pool->free_list = NULL;
    pool->in_use = 0;
    return closed;
}
