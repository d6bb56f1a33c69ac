/* The three loops that take the time, for one width of vectors; included once for each by _join_widths.h, which defines
 *     NAME(x), TARGET, WORDS                       x with the width's ending, what the compiler may use, words of a block
 *     Block, load, store, both, is_zero            a row of a table: one bit for each stored board
 *     Counter, count_zero, count_add, count_sum    how the set bits of rows are added up
 *     NAME(disjoint), NAME(transpose)              see the plain ones
 */

/* Write the half boards on `columns`, of which every one takes the diagonals of `extra` too (the middle queen), to `out`;
 * return the end. The left and the right quadrant have complementary row sets and share no diagonal. */
TARGET static uint64_t *NAME(half_boards)(const Board *board, int half, uint32_t columns, uint64_t extra, uint64_t *out)
{
    const Quadrant *left = &board->quadrants[half][LEFT], *right = &board->quadrants[half][RIGHT];
    const uint32_t *left_starts = starts_of(board, half, LEFT, columns);
    const uint32_t *right_starts = starts_of(board, half, RIGHT, columns);
    const uint32_t all_rows = lowest_bits(board->rows);
    uint32_t row_set = lowest_bits(count_bits(columns & lowest_bits(board_left_columns(board))));
    while (row_set <= all_rows) {
        const uint64_t *one = left->words + left_starts[row_set], *one_end = left->words + left_starts[row_set + 1];
        const uint64_t *many = right->words + right_starts[all_rows ^ row_set];
        const uint64_t *many_end = right->words + right_starts[(all_rows ^ row_set) + 1];
        if (one_end - one > many_end - many) { /* the vectors run over the longer list */
            const uint64_t *swapped = one;
            one = many;
            many = swapped;
            swapped = one_end;
            one_end = many_end;
            many_end = swapped;
        }
        if (many < many_end)
            for (; one < one_end; one++)
                if (!(*one & extra))
                    out = NAME(disjoint)(*one | extra, many, many_end, out);
        if (!row_set)
            break;
        const uint32_t low = row_set & -row_set, ripple = row_set + low; /* the next larger set of as many rows */
        row_set = ripple | ((ripple ^ row_set) / low >> 2);
    }
    return out;
}

/* Make the tables of a block of at most 64 * WORDS stored boards: for each value of a group's bits, and of the key's, the
 * stored boards that take none of those diagonals. The list is readable to a whole block's end. */
TARGET static void NAME(make_tables)(const Board *board, const uint64_t *stored, size_t number, Tables *tables)
{
    const int bits = JOIN_LOW * board->groups + board->key_bits;
    uint64_t valid[WORDS];
    for (int word = 0; word < WORDS; word++) {
        const size_t before = 64 * (size_t)word;
        NAME(transpose)(stored + before, bits, tables->free[0] + word);
        valid[word] = number >= before + 64 ? ~UINT64_C(0) : number > before ? (UINT64_C(1) << (number - before)) - 1 : 0;
    }
    for (int group = 0; group <= board->groups; group++) {
        const int key = group == board->groups, width = key ? board->key_bits : JOIN_LOW;
        uint64_t *table = key ? tables->keys : tables->groups + (size_t)(group << JOIN_LOW) * WORDS;
        store(table, load(valid));
        for (int bit = 0; bit < width; bit++) {
            const Block without = load(tables->free[JOIN_LOW * group + bit]);
            for (int value = 0; value < 1 << bit; value++)
                store(table + ((1 << bit) + value) * WORDS, both(load(table + value * WORDS), without));
        }
    }
}

#define ROW(group)                                                                                                           \
    load((const char *)(tables->groups + ((group) << JOIN_LOW) * WORDS) +                                                    \
         ((query >> JOIN_LOW * (group) & 63 << JOIN_LOW) * WORDS / JOIN_WORDS))
#define SCAN(rows)                                                                                                           \
    for (; queries < end; queries++) {                                                                                       \
        const uint64_t query = *queries;                                                                                     \
        sum = count_add(sum, rows);                                                                                          \
    }                                                                                                                        \
    break

/* How many pairs of a query and one of the stored boards of `among` share no diagonal of the groups. */
TARGET static inline uint64_t NAME(scan)(const Tables *tables, int groups, Block among, const uint64_t *queries,
                                         const uint64_t *end)
{
    Counter sum = count_zero();
    switch (groups) {
    case 1:
        SCAN(both(among, ROW(0)));
    case 2:
        SCAN(both(both(among, ROW(0)), ROW(1)));
    case 3:
        SCAN(both(both(among, ROW(0)), both(ROW(1), ROW(2))));
    case 4:
        SCAN(both(both(both(among, ROW(0)), both(ROW(1), ROW(2))), ROW(3)));
    case 5:
        SCAN(both(both(both(among, ROW(0)), both(ROW(1), ROW(2))), both(ROW(3), ROW(4))));
    default:
        SCAN(both(both(both(among, ROW(0)), both(ROW(1), ROW(2))), both(both(ROW(3), ROW(4)), ROW(5))));
    }
    return count_sum(sum);
}

/* How many pairs of a query and a board of this block share no diagonal. Queries of one key stand together. */
TARGET static uint64_t NAME(join_block)(const Board *board, const uint64_t *stored, size_t number, const uint64_t *queries,
                                        const uint32_t *key_starts, Tables *tables, uint64_t *looked_at)
{
    uint64_t pairs = 0;
    NAME(make_tables)(board, stored, number, tables);
    for (int key = 0; key < 1 << board->key_bits; key++) {
        const uint32_t first = key_starts[key], end = key_starts[key + 1];
        const Block among = load(tables->keys + key * WORDS);
        if (first == end || is_zero(among))
            continue;
        *looked_at += end - first;
        pairs += NAME(scan)(tables, board->groups, among, queries + first, queries + end);
    }
    return pairs;
}

#undef ROW
#undef SCAN
#undef NAME
#undef TARGET
#undef WORDS
#undef Block
#undef load
#undef store
#undef both
#undef is_zero
#undef Counter
#undef count_zero
#undef count_add
#undef count_sum
