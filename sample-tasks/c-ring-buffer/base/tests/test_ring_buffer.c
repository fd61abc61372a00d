#include "ring_buffer.h"
#include "tap.h"

static int slots[4];
static struct rb rb;

static void start(void)
{
    memset(slots, 0, sizeof slots);
    rb_init(&rb, slots, 4);
}

static void empty(void)
{
    int v = 77;
    start();
    EXPECT_INT(0, rb_len(&rb));
    EXPECT_INT(-1, rb_pop(&rb, &v));
    EXPECT_INT(-1, rb_peek(&rb, 0, &v));
    EXPECT_INT(77, v);
}

static void push_pop(void)
{
    int v = 0;
    start();
    EXPECT_INT(0, rb_push(&rb, 11));
    EXPECT_INT(0, rb_push(&rb, 12));
    EXPECT_INT(0, rb_peek(&rb, 0, &v));
    EXPECT_INT(12, v);
    EXPECT_INT(0, rb_pop(&rb, &v));
    EXPECT_INT(11, v);
    EXPECT_INT(1, rb_len(&rb));
}

/* Two samples leave at the front, then the buffer fills up across the end of the storage. */
static void wrap(void)
{
    int v = 0;
    start();
    for (int i = 1; i <= 3; i++)
        EXPECT_INT(0, rb_push(&rb, i));
    EXPECT_INT(0, rb_pop(&rb, &v));
    EXPECT_INT(0, rb_pop(&rb, &v));
    EXPECT_INT(2, v);
    for (int i = 4; i <= 6; i++)
        EXPECT_INT(0, rb_push(&rb, i));
    for (int i = 3; i <= 6; i++) {
        EXPECT_INT(0, rb_pop(&rb, &v));
        EXPECT_INT(i, v);
    }
}

static void fill(void)
{
    int v = 0;
    start();
    for (int i = 1; i <= 4; i++)
        EXPECT_INT(0, rb_push(&rb, i));
    EXPECT_INT(4, rb_len(&rb));
    EXPECT_INT(0, rb_peek(&rb, 3, &v));
    EXPECT_INT(1, v);
}

/* However many samples were let in, a full buffer refuses and keeps its oldest one. */
static void full_rejects(void)
{
    int v = 0;
    start();
    for (int i = 1; i <= 4; i++)
        (void)rb_push(&rb, i);
    EXPECT_INT(-1, rb_push(&rb, 99));
    EXPECT_INT(0, rb_peek(&rb, rb_len(&rb) - 1, &v));
    EXPECT_INT(1, v);
    EXPECT_INT(0, rb_pop(&rb, &v));
    EXPECT_INT(1, v);
}

/* The reporting task empties the buffer again and again, at every offset of the storage. */
static void drain(void)
{
    int v = 0;
    start();
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++)
            EXPECT_INT(0, rb_push(&rb, round * 10 + i));
        for (int i = 0; i < 3; i++) {
            EXPECT_INT(0, rb_pop(&rb, &v));
            EXPECT_INT(round * 10 + i, v);
        }
        EXPECT_INT(-1, rb_pop(&rb, &v));
        EXPECT_INT(0, rb_len(&rb));
    }
}

int main(void)
{
    tap_plan(6);
    RUN(empty);
    RUN(push_pop);
    RUN(wrap);
    RUN(fill);
    RUN(full_rejects);
    RUN(drain);
    return tap_failures ? 1 : 0;
}
