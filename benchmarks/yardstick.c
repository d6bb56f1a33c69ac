/* The yardstick: plain bit-mask recursion, no symmetry, no look-ahead. Compiled by core.py with gcc -O2. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t full;

static uint64_t place(uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == full)
        return 1;
    uint64_t total = 0;
    for (uint32_t free = full & ~(columns | left | right); free;) {
        uint32_t bit = free & -free;
        free ^= bit;
        total += place(columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return total;
}

int main(int count, char **words)
{
    full = (UINT32_C(1) << (count > 1 ? atoi(words[1]) : 8)) - 1;
    printf("%llu\n", (unsigned long long)place(0, 0, 0));
    return 0;
}
