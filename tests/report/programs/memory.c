/* Faults for sanitisers and signals, chosen by the first argument. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

static int read_past(int *numbers, int at)
{
    return numbers[at];
}

static void overflow(void)
{
    int *numbers = malloc(4 * sizeof *numbers);
    memset(numbers, 0, 4 * sizeof *numbers);
    printf("%d\n", read_past(numbers, 4));
    free(numbers);
}

static void use_after_free(void)
{
    char *text = malloc(16);
    free(text);
    text[3] = 'x';
}

static int add(int one, int other)
{
    return one + other;
}

int main(int count, char **arguments)
{
    const char *form = count > 1 ? arguments[1] : "";
    if (strcmp(form, "overflow") == 0)
        overflow();
    if (strcmp(form, "free") == 0)
        use_after_free();
    if (strcmp(form, "leak") == 0)
        form = strdup("lost") + 1;
    if (strcmp(form, "integer") == 0)
        printf("%d\n", add(INT_MAX, count));
    if (strcmp(form, "assert") == 0)
        assert(add(1, 1) == 3);
    if (strcmp(form, "null") == 0)
        *(volatile int *)0 = 1;
    if (strcmp(form, "twice") == 0) {
        char *text = malloc(8);
        free(text);
        free(text);
    }
    return 0;
}
