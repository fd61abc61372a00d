/* A few lines of TAP: one result line per case, then a comment with the first check that failed.
 * Every line is flushed, so that results printed before a crash are not lost. */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>
#include <string.h>

static int tap_number;
static int tap_failures;
static char tap_note[320];

static inline void tap_plan(int cases)
{
    printf("1..%d\n", cases);
    fflush(stdout);
}

static inline int tap_same_int(const char *what, long want, long got)
{
    if (want == got)
        return 1;
    snprintf(tap_note, sizeof tap_note, "%s: expected %ld, got %ld", what, want, got);
    return 0;
}

static inline int tap_same_text(const char *what, const char *want, const char *got)
{
    if (got != NULL && strcmp(want, got) == 0)
        return 1;
    snprintf(tap_note, sizeof tap_note, "%s: expected \"%.100s\", got \"%.100s\"", what, want,
             got != NULL ? got : "(null)");
    return 0;
}

/* Both leave the case at the first difference. */
#define EXPECT_INT(want, got)                                   \
    do { \
        if (!tap_same_int(#got, (long)(want), (long)(got)))     \
            return;                                             \
    } while (0)
#define EXPECT_TEXT(want, got)                                  \
    do { \
        if (!tap_same_text(#got, (want), (got)))                \
            return;                                             \
    } while (0)

static inline void tap_run(const char *name, void (*test_case)(void))
{
    tap_note[0] = '\0';
    test_case();
    tap_number++;
    if (tap_note[0] == '\0') {
        printf("ok %d - %s\n", tap_number, name);
    } else {
        tap_failures++;
        printf("not ok %d - %s\n# %s\n", tap_number, name, tap_note);
    }
    fflush(stdout);
}

#define RUN(test_case) tap_run(#test_case, test_case)

#endif
