#include "headers.h"

#include <ctype.h>
#include <string.h>

/* What a body is read as when the server does not say. */
static const char DEFAULT_CHARSET[] = "utf-8";

/* Compares the first `n` characters without regard to case; header names and parameters ignore it. */
static int same_ignoring_case(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
            return 0;
        if (a[i] == '\0')
            return 1;
    }
    return 1;
}

static char *skip_blanks(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* Cuts a block of `Name: value` lines, separated by CR LF, up to an empty line or the end. Returns 0, or -1
 * when the block is too long, has too many lines, or has a line without a colon. */
int headers_parse(struct headers *headers, const char *block)
{
    headers->count = 0;
    if (strlen(block) >= sizeof headers->text)
        return -1;
    strcpy(headers->text, block);

    char *line = headers->text;
    while (*line != '\0' && *line != '\r') {
        char *end = line + strcspn(line, "\r\n");
        char *next = end + strspn(end, "\r");
        if (*next == '\n')
            next++;
        *end = '\0';

        char *colon = strchr(line, ':');
        if (colon == NULL || headers->count == HEADERS_MAX)
            return -1;
        *colon = '\0';
        headers->items[headers->count].name = line;
        headers->items[headers->count].value = skip_blanks(colon + 1);
        headers->count++;
        line = next;
    }
    return 0;
}

/* The value of the first header with this name, or NULL when the block has none. */
const char *headers_get(const struct headers *headers, const char *name)
{
    for (size_t i = 0; i < headers->count; i++) {
        if (same_ignoring_case(headers->items[i].name, name, strlen(name) + 1))
            return headers->items[i].value;
    }
    return NULL;
}

/* Writes `n` characters in lower case, cut to fit, and returns how many were written. */
static size_t put_lower(const char *text, size_t n, char *out, size_t cap)
{
    size_t i = 0;
    for (; i < n && i + 1 < cap; i++)
        out[i] = (char)tolower((unsigned char)text[i]);
    out[i] = '\0';
    return i;
}

/* Finds the charset to read the body with and writes it to `out` in lower case. It is the `charset` parameter of
 * Content-Type, quoted or not; without one, the default. `cap` is at least 1. Returns the length written. */
size_t content_charset(const struct headers *headers, char *out, size_t cap)
{
    const char *type = headers_get(headers, "Content-Type");

    const char *param = strchr(type, ';');
    while (param != NULL) {
        param++;
        param += strspn(param, " \t");
        if (same_ignoring_case(param, "charset=", 8)) {
            const char *value = param + 8;
            if (*value == '"') {
                value++;
                return put_lower(value, strcspn(value, "\""), out, cap);
            }
            return put_lower(value, strcspn(value, "; \t"), out, cap);
        }
        param = strchr(param, ';');
    }
    return put_lower(DEFAULT_CHARSET, strlen(DEFAULT_CHARSET), out, cap);
}
