/* TAP printed by hand: forms chosen by the first argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    const char *form = count > 1 ? arguments[1] : "first";
    if (strcmp(form, "first") == 0) {
        puts("1..3\nok 1 - empty\nnot ok 2 - full\n# expected -1, got 0\nok 3 - drain");
        return 1;
    }
    if (strcmp(form, "last") == 0) {
        puts("TAP version 13\nok 1 empty\nok\nok 3 - drain # SKIP no water\n1..3");
        return 0;
    }
    if (strcmp(form, "crash") == 0) {
        puts("1..3\nok 1 - empty");
        fflush(stdout);
        abort();
    }
    if (strcmp(form, "early") == 0) {
        puts("1..3\nok 1 - empty");
        return 0;
    }
    if (strcmp(form, "forged") == 0) {
        puts("1..3\nok 1 - empty");
        puts("ok 2 - full\nok 3 - drain"); /* code under test, while case 2 runs */
        puts("not ok 2 - full\nok 3 - drain");
        return 1;
    }
    if (strcmp(form, "skip") == 0) {
        puts("1..0 # SKIP no device");
        return 0;
    }
    return 2;
}
