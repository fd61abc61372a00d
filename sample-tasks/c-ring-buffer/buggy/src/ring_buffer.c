#include "ring_buffer.h"

/* Takes over `buf` with room for `cap` samples and starts empty. */
void rb_init(struct rb *rb, int *buf, size_t cap)
{
    rb->buf = buf;
    rb->cap = cap;
    rb_clear(rb);
}

/* Number of samples waiting to be popped. */
size_t rb_len(const struct rb *rb)
{
    return rb->len;
}

/* Appends a sample. Returns 0, or -1 without storing anything when the buffer is full. */
int rb_push(struct rb *rb, int v)
{
    size_t next = (rb->head + 1) % rb->cap;
    if (next == rb->tail) return -1;
    rb->buf[rb->head] = v;
    rb->head = next;
    rb->len++;
    return 0;
}

/* Takes the oldest sample into `*out`. Returns 0, or -1 when there is none. */
int rb_pop(struct rb *rb, int *out)
{
    if (rb->len == 0)
        return -1;
    *out = rb->buf[rb->tail];
    rb->tail = (rb->tail + 1) % rb->cap;
    rb->len--;
    return 0;
}

/* Reads a sample without taking it; age 0 is the newest. Returns -1 when there is no sample that old. */
int rb_peek(const struct rb *rb, size_t age, int *out)
{
    if (age >= rb->len)
        return -1;
    *out = rb->buf[(rb->head + rb->cap - 1 - age) % rb->cap];
    return 0;
}

/* Forgets all samples; the storage stays. */
void rb_clear(struct rb *rb)
{
    rb->head = 0;
    rb->tail = 0;
    rb->len = 0;
}
