#include "session_pool.h"
#include "tap.h"

#include <stdlib.h>

/* The test allocator never hands memory back to the system: a released block is wiped and parked. Reading
 * it afterwards is harmless here and always gives zeros, whatever the machine. */
#define MAX_BLOCKS 16
static void *blocks[MAX_BLOCKS];
static size_t sizes[MAX_BLOCKS];
static int released[MAX_BLOCKS];
static int made;
static int made_limit;

static void *parking_allocate(size_t size)
{
    if (made == made_limit)
        return NULL;
    blocks[made] = calloc(1, size);
    sizes[made] = size;
    released[made] = 0;
    return blocks[made++];
}

static void parking_release(void *block)
{
    for (int i = 0; i < made; i++) {
        if (blocks[i] == block) {
            memset(block, 0, sizes[i]);
            released[i]++;
        }
    }
}

static int released_once(void)
{
    int n = 0;
    for (int i = 0; i < made; i++)
        n += released[i] == 1;
    return n;
}

/* Closed connections in the order in which they were closed, as text: "9 8 7". */
static char closed[128];

static void note_close(int fd)
{
    size_t used = strlen(closed);
    snprintf(closed + used, sizeof closed - used, used > 0 ? " %d" : "%d", fd);
}

static struct pool pool;

static void start(void)
{
    for (int i = 0; i < made; i++)
        free(blocks[i]);
    made = 0;
    made_limit = MAX_BLOCKS;
    closed[0] = '\0';
    pool_init(&pool, (struct pool_hooks){parking_allocate, parking_release, note_close});
}

static void first_acquire_makes_a_slab(void)
{
    start();
    EXPECT_INT(0, made);
    struct session *session = pool_acquire(&pool, 7);
    EXPECT_INT(7, session->fd);
    EXPECT_INT(1, made);
    EXPECT_INT(1, pool.in_use);
}

static void returned_slot_is_used_again(void)
{
    start();
    struct session *first = pool_acquire(&pool, 7);
    pool_acquire(&pool, 8);
    pool_return(&pool, first);
    EXPECT_TEXT("7", closed);
    EXPECT_INT(1, pool_acquire(&pool, 9) == first);
    EXPECT_INT(1, made);
}

static void returning_twice_closes_once(void)
{
    start();
    struct session *session = pool_acquire(&pool, 7);
    pool_return(&pool, session);
    pool_return(&pool, session);
    EXPECT_TEXT("7", closed);
    EXPECT_INT(0, pool.in_use);
}

static void no_memory_gives_null(void)
{
    start();
    made_limit = 1;
    for (int i = 0; i < SLAB_SESSIONS; i++)
        EXPECT_INT(1, pool_acquire(&pool, 10 + i) != NULL);
    EXPECT_INT(1, pool_acquire(&pool, 99) == NULL);
    EXPECT_INT(SLAB_SESSIONS, pool.in_use);
}

static void destroy_without_live_sessions(void)
{
    start();
    pool_return(&pool, pool_acquire(&pool, 7));
    EXPECT_INT(0, pool_destroy(&pool));
    EXPECT_TEXT("7", closed);
    EXPECT_INT(1, released_once());
}

static void destroy_closes_one_connection(void)
{
    start();
    pool_acquire(&pool, 7);
    EXPECT_INT(1, pool_destroy(&pool));
    EXPECT_TEXT("7", closed);
}

static void destroy_closes_newest_first(void)
{
    start();
    for (int fd = 5; fd <= 10; fd++)
        pool_acquire(&pool, fd);
    EXPECT_INT(6, pool_destroy(&pool));
    EXPECT_TEXT("10 9 8 7 6 5", closed);
}

static void destroy_skips_returned_sessions(void)
{
    start();
    pool_acquire(&pool, 5);
    struct session *middle = pool_acquire(&pool, 6);
    pool_acquire(&pool, 7);
    pool_return(&pool, middle);
    EXPECT_INT(2, pool_destroy(&pool));
    EXPECT_TEXT("6 7 5", closed);
}

static void destroy_releases_every_slab_once(void)
{
    start();
    for (int fd = 5; fd <= 13; fd++)
        pool_acquire(&pool, fd);
    EXPECT_INT(3, made);
    pool_destroy(&pool);
    EXPECT_INT(3, released_once());
}

static void pool_works_after_destroy(void)
{
    start();
    pool_acquire(&pool, 7);
    pool_destroy(&pool);
    struct session *session = pool_acquire(&pool, 8);
    EXPECT_INT(8, session->fd);
    EXPECT_INT(1, pool.in_use);
    EXPECT_INT(2, made);
}

int main(void)
{
    tap_plan(10);
    RUN(first_acquire_makes_a_slab);
    RUN(returned_slot_is_used_again);
    RUN(returning_twice_closes_once);
    RUN(no_memory_gives_null);
    RUN(destroy_without_live_sessions);
    RUN(destroy_closes_one_connection);
    RUN(destroy_closes_newest_first);
    RUN(destroy_skips_returned_sessions);
    RUN(destroy_releases_every_slab_once);
    RUN(pool_works_after_destroy);
    start();
    return tap_failures ? 1 : 0;
}
