/* Fixed-size queue of samples between the interrupt handler, which pushes, and the reporting task,
 * which pops. The caller owns the storage; nothing here allocates. */
#ifndef RING_BUFFER_H
#define RING_BUFFER_H

#include <stddef.h>

struct rb {
    int *buf;    /* cap slots, owned by the caller */
    size_t head; /* slot that the next push writes */
    size_t tail; /* slot that the next pop reads */
    size_t len;  /* samples stored now */
    size_t cap;  /* slots; at least 1 */
};

void rb_init(struct rb *rb, int *buf, size_t cap);
size_t rb_len(const struct rb *rb);
int rb_push(struct rb *rb, int v);
int rb_pop(struct rb *rb, int *out);
int rb_peek(const struct rb *rb, size_t age, int *out);
void rb_clear(struct rb *rb);

#endif
