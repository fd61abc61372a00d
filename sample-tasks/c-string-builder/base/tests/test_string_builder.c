#include "string_builder.h"
#include "tap.h"

#include <stdlib.h>

/* Blocks of the test allocator are followed by guard bytes that nobody may write. An overrun lands there
 * and is counted when the case looks, so it shows up without crashing anything. */
#define GUARD_SIZE 4096
#define GUARD_BYTE 0x5A
#define NO_LIMIT ((size_t)-1)

static unsigned char *block; /* the single block handed out, or NULL */
static size_t block_size;
static size_t block_limit = NO_LIMIT;
static int resizes;
static long damaged; /* guard bytes found overwritten so far */

static void check_guard(void)
{
    if (block == NULL)
        return;
    for (size_t i = 0; i < GUARD_SIZE; i++) {
        if (block[block_size + i] != GUARD_BYTE)
            damaged++;
    }
    memset(block + block_size, GUARD_BYTE, GUARD_SIZE);
}

static void *guarded_resize(void *old, size_t size)
{
    (void)old;
    check_guard();
    if (size > block_limit)
        return NULL;

    unsigned char *fresh = NULL;
    if (size > 0) {
        fresh = malloc(size + GUARD_SIZE);
        if (fresh == NULL)
            return NULL;
        memset(fresh, 0, size);
        if (block != NULL)
            memcpy(fresh, block, size < block_size ? size : block_size);
        memset(fresh + size, GUARD_BYTE, GUARD_SIZE);
    }
    free(block);
    block = fresh;
    block_size = size;
    resizes++;
    return fresh;
}

static long bytes_past_the_end(void)
{
    check_guard();
    return damaged;
}

static struct sb sb;

static void start(void)
{
    free(block);
    block = NULL;
    block_size = 0;
    block_limit = NO_LIMIT;
    resizes = 0;
    damaged = 0;
    sb_init(&sb, guarded_resize);
}

static char many[2001];

static const char *letters(size_t n)
{
    memset(many, 'x', n);
    many[n] = '\0';
    return many;
}

static void starts_empty(void)
{
    start();
    EXPECT_TEXT("", sb_text(&sb));
    EXPECT_INT(0, resizes);
}

static void joins_short_parts(void)
{
    start();
    EXPECT_INT(0, sb_append(&sb, "GET ", 4));
    EXPECT_INT(0, sb_append(&sb, "/health", 7));
    EXPECT_INT(0, sb_append_char(&sb, '!'));
    EXPECT_TEXT("GET /health!", sb_text(&sb));
    EXPECT_INT(0, bytes_past_the_end());
}

static void grows_one_char_at_a_time(void)
{
    start();
    for (int i = 0; i < 300; i++)
        EXPECT_INT(0, sb_append_char(&sb, (char)('a' + i % 26)));
    EXPECT_INT(300, strlen(sb_text(&sb)));
    EXPECT_INT('n', sb_text(&sb)[299]);
    EXPECT_INT(1, resizes <= 5);
    EXPECT_INT(0, bytes_past_the_end());
}

static void first_block_exactly_full(void)
{
    start();
    EXPECT_INT(0, sb_append(&sb, letters(31), 31));
    EXPECT_INT(31, strlen(sb_text(&sb)));
    EXPECT_INT(0, bytes_past_the_end());
}

static void first_append_needs_the_terminator(void)
{
    start();
    EXPECT_INT(0, sb_append(&sb, letters(32), 32));
    EXPECT_INT(0, bytes_past_the_end());
    EXPECT_TEXT(letters(32), sb_text(&sb));
}

static void long_first_append(void)
{
    start();
    EXPECT_INT(0, sb_append(&sb, letters(500), 500));
    EXPECT_INT(0, bytes_past_the_end());
    EXPECT_TEXT(letters(500), sb_text(&sb));
}

/* What the gateway does with a user agent that a client made far too long. */
static void long_field_after_short_ones(void)
{
    start();
    EXPECT_INT(0, sb_append_field(&sb, "method", "GET"));
    EXPECT_INT(0, sb_append_field(&sb, "agent", letters(1500)));
    EXPECT_INT(0, bytes_past_the_end());
    EXPECT_INT(12 + 9 + 1500, strlen(sb_text(&sb)));
}

static void escapes_a_field(void)
{
    start();
    EXPECT_INT(0, sb_append_field(&sb, "q", "a\"b\\"));
    EXPECT_TEXT("q=\"a\\\"b\\\\\"", sb_text(&sb));
    EXPECT_INT(0, bytes_past_the_end());
}

static void no_memory_keeps_the_line(void)
{
    start();
    EXPECT_INT(0, sb_append_field(&sb, "id", "7"));
    block_limit = 32;
    EXPECT_INT(-1, sb_append_field(&sb, "path", letters(90)));
    EXPECT_TEXT("id=\"7\"", sb_text(&sb));
    EXPECT_INT(0, bytes_past_the_end());
}

static void clear_keeps_the_memory(void)
{
    start();
    EXPECT_INT(0, sb_append(&sb, "first line", 10));
    sb_clear(&sb);
    EXPECT_TEXT("", sb_text(&sb));
    EXPECT_INT(0, sb_append(&sb, "second", 6));
    EXPECT_TEXT("second", sb_text(&sb));
    EXPECT_INT(1, resizes);
    sb_release(&sb);
    EXPECT_INT(1, block == NULL);
}

int main(void)
{
    tap_plan(10);
    RUN(starts_empty);
    RUN(joins_short_parts);
    RUN(grows_one_char_at_a_time);
    RUN(first_block_exactly_full);
    RUN(first_append_needs_the_terminator);
    RUN(long_first_append);
    RUN(long_field_after_short_ones);
    RUN(escapes_a_field);
    RUN(no_memory_keeps_the_line);
    RUN(clear_keeps_the_memory);
    free(block);
    return tap_failures ? 1 : 0;
}
