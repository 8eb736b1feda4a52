#include <freehold.h>
#include <stdio.h>

int main(void)
{
    printf("linked with Freehold %s\n", freehold_version());
    return 0;
}
