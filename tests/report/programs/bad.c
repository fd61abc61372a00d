#include <stdio.h>

struct point { int x, y; };

int sum(struct point p)
{
    int unused;
    return p.x + p.z;
}

int main(void)
{
    printf("%s\n", 3);
    undeclared(1);
    return sum(1)
}
