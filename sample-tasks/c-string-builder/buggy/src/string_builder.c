#include "string_builder.h"

#include <stdint.h>
#include <string.h>

/* Most log lines fit twice into this; the rest double their way up. */
#define FIRST_CAP 32

/* Starts empty. Nothing is allocated before the first append. */
void sb_init(struct sb *sb, sb_resize_fn resize)
{
    sb->data = NULL;
    sb->len = 0;
    sb->cap = 0;
    sb->resize = resize;
}

/* The text so far; never NULL. */
const char *sb_text(const struct sb *sb)
{
    return sb->data != NULL ? sb->data : "";
}

/* Makes sure that `extra` more characters and the terminator fit. Returns 0, or -1 when memory is short;
 * the text is unchanged then. */
static int sb_reserve(struct sb *sb, size_t extra)
{
    if (extra > SIZE_MAX / 2 - sb->len - 1)
        return -1;

    size_t need = sb->len + extra + 1;
    if (need <= sb->cap)
        return 0;

    /* Doubling keeps the number of copies small when a line is built from many parts. */
    size_t cap = sb->cap != 0 ? sb->cap * 2 : FIRST_CAP;
    char *data = sb->resize(sb->data, cap);
    if (data == NULL)
        return -1;

    sb->data = data;
    sb->cap = cap;
    return 0;
}

/* Appends `n` characters of `text`. Returns 0, or -1 when memory is short. */
int sb_append(struct sb *sb, const char *text, size_t n)
{
    if (sb_reserve(sb, n) != 0)
        return -1;
    memcpy(sb->data + sb->len, text, n);
    sb->len += n;
    sb->data[sb->len] = '\0';
    return 0;
}

/* Appends one character. Returns 0, or -1 when memory is short. */
int sb_append_char(struct sb *sb, char c)
{
    return sb_append(sb, &c, 1);
}

/* Appends ` name="value"`, with quotes and backslashes of the value escaped. A line is all or nothing:
 * when memory runs out half-way the builder goes back to where it was. */
int sb_append_field(struct sb *sb, const char *name, const char *value)
{
    size_t before = sb->len;
    int bad = 0;

    if (before > 0)
        bad |= sb_append_char(sb, ' ');
    bad |= sb_append(sb, name, strlen(name));
    bad |= sb_append(sb, "=\"", 2);
    while (!bad && *value != '\0') {
        size_t plain = strcspn(value, "\"\\");
        bad |= sb_append(sb, value, plain);
        value += plain;
        if (*value != '\0') {
            bad |= sb_append_char(sb, '\\');
            bad |= sb_append_char(sb, *value++);
        }
    }
    bad |= sb_append_char(sb, '"');

    if (bad) {
        sb->len = before;
        if (sb->data != NULL)
            sb->data[before] = '\0';
        return -1;
    }
    return 0;
}

/* Empties the text and keeps the memory for the next line. */
void sb_clear(struct sb *sb)
{
    sb->len = 0;
    if (sb->data != NULL)
        sb->data[0] = '\0';
}

/* Gives the memory back; the builder may be used again afterwards. */
void sb_release(struct sb *sb)
{
    if (sb->data != NULL)
        sb->resize(sb->data, 0);
    sb_init(sb, sb->resize);
}
