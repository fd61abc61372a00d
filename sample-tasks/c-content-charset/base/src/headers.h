/* The header block of one HTTP response, cut into names and values. */
#ifndef HEADERS_H
#define HEADERS_H

#include <stddef.h>

#define HEADERS_MAX 32

struct header {
    const char *name;
    const char *value;
};

struct headers {
    char text[2048]; /* own copy of the block; names and values point into it */
    struct header items[HEADERS_MAX];
    size_t count;
};

int headers_parse(struct headers *headers, const char *block);
const char *headers_get(const struct headers *headers, const char *name);
size_t content_charset(const struct headers *headers, char *out, size_t cap);

#endif
