/* Text that grows at its end: the log writer builds one line with it, then hands `data` to the socket.
 *
 * Memory comes from `resize`, so that each log channel can draw on its own pool. It works like realloc:
 * resize(NULL, n) makes a block, resize(p, 0) gives it back, NULL means no memory and leaves `p` alone. */
#ifndef STRING_BUILDER_H
#define STRING_BUILDER_H

#include <stddef.h>

typedef void *(*sb_resize_fn)(void *block, size_t size);

struct sb {
    char *data;          /* NULL until the first append, then always ends in '\0' */
    size_t len;          /* characters before the terminator */
    size_t cap;          /* bytes that `data` has room for, terminator included */
    sb_resize_fn resize;
};

void sb_init(struct sb *sb, sb_resize_fn resize);
const char *sb_text(const struct sb *sb);
int sb_append(struct sb *sb, const char *text, size_t n);
int sb_append_char(struct sb *sb, char c);
int sb_append_field(struct sb *sb, const char *name, const char *value);
void sb_clear(struct sb *sb);
void sb_release(struct sb *sb);

#endif
