/* Counting by joining half boards: the board, its quadrants and its column sets. No Python in here.
 *
 * The rows are split into a top half of n / 2 rows, a bottom half of as many, and for odd n a middle row, which is counted with
 * the bottom. For a set A of columns, `half_boards` (_join_vectors.h) lists the top boards on A and the bottom boards on the
 * rest; the count is the number of pairs of them that share no diagonal, summed over A.
 *
 * A half board is one word: a bit for each diagonal, of either direction, that it takes. The diagonals that cross the middle,
 * 2 (n - 1) of them, have the same bits in both halves; the others, a half's own, only keep its quadrants apart. From bit 0:
 *     6 own diagonals | groups of 6 crossing diagonals | the key: the last `key_bits` crossing diagonals | more own diagonals
 * A group's bits, six places up, are the byte offset of a row of 64 bytes in its table. The key holds the crossing diagonals
 * that most half boards take: both lists are sorted by it, so that a block of stored boards is left alone by most queries.
 */
#ifndef NQUEENS_CP_JOIN_H
#define NQUEENS_CP_JOIN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_LEAST 4
#define JOIN_MOST 22           /* so many rows fit a word; the quadrants of n = 20, 21, 22 take 0.25, 0.5 and 2.1 GB */
#define JOIN_LOW 6             /* own diagonals below the groups, and the bits of a group */
#define JOIN_MOST_GROUPS 6
#define JOIN_MOST_KEY_BITS 8
#define JOIN_WORDS 8           /* words of 64 stored boards in the widest block */

enum { TOP, BOTTOM };
enum { LEFT, RIGHT };

/* Every placement of queens on a quadrant, sorted by the set of its columns and then of its rows. */
typedef struct {
    uint32_t *starts; /* of (columns << rows | row set), and one more */
    uint64_t *words;
    size_t number, capacity;
    uint32_t next_columns; /* the column set to be listed next */
} Quadrant;

/* A set of columns for the top half, the middle queen's columns for which it stands (odd n), and how often it counts. */
typedef struct {
    uint32_t columns, middles, weight;
} ColumnSet;

typedef struct {
    int n;
    int symmetry; /* of column sets: 0 none, 1 the mirror, 2 turning over too */
    int rows;     /* of a half: n / 2 */
    int groups, key_bits;
    uint32_t allowed[JOIN_MOST];
    uint64_t squares[JOIN_MOST][JOIN_MOST]; /* the two diagonals of a square, as bits of its half's words */
    Quadrant quadrants[2][2];
    int tables_made; /* the column sets, then the four quadrants */
    ColumnSet *sets;
    size_t set_number, set_capacity;
} Board;

static int board_left_columns(const Board *board)
{
    return board->n / 2;
}

/* Where the placements on a quadrant's share of some columns start, by row set. */
static const uint32_t *starts_of(const Board *board, int half, int side, uint32_t columns)
{
    const int left = board_left_columns(board);
    const uint32_t own = side == LEFT ? columns & ((UINT32_C(1) << left) - 1) : columns >> left;
    return board->quadrants[half][side].starts + ((size_t)own << board->rows);
}

static int board_key_shift(const Board *board)
{
    return JOIN_LOW + JOIN_LOW * board->groups;
}

static uint32_t lowest_bits(int number)
{
    return (UINT32_C(1) << number) - 1;
}

static int count_bits(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return (int)(((mask + (mask >> 4)) & 0x0f0f0f0f) * UINT32_C(0x01010101) >> 24);
}

static uint32_t reversed(uint32_t columns, int n)
{
    columns = columns >> 16 | columns << 16;
    columns = (columns >> 8 & 0x00ff00ff) | (columns & 0x00ff00ff) << 8;
    columns = (columns >> 4 & 0x0f0f0f0f) | (columns & 0x0f0f0f0f) << 4;
    columns = (columns >> 2 & 0x33333333) | (columns & 0x33333333) << 2;
    columns = (columns >> 1 & 0x55555555) | (columns & 0x55555555) << 1;
    return columns >> (32 - n);
}

/* How often a crossing diagonal can be taken by both halves: its squares above times its squares below. */
static int crossing_squares(const Board *board, int j)
{
    const int n = board->n, above = n - 1 - j, below = j + 1;
    return (board->rows < above ? board->rows : above) * (n - board->rows < below ? n - board->rows : below);
}

/* Give every diagonal its bit. A diagonal of one direction is column + row, of the other row - column + n - 1; in both, those
 * from `rows` to `rows + n - 2` cross from the top half to the rest; smaller ones are the top's own, larger the bottom's. */
static void board_lay_out(Board *board)
{
    const int n = board->n, crossing = n - 1, total = 2 * crossing;
    board->rows = n / 2;
    int order[2 * JOIN_MOST], place[2 * JOIN_MOST];
    for (int i = 0; i < total; i++) {
        int at = i;
        for (; at && crossing_squares(board, order[at - 1] % crossing) > crossing_squares(board, i % crossing); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    /* Short boards have a single block for each set, so that a key would not pay. */
    board->groups = n <= 13 ? (total + JOIN_LOW - 1) / JOIN_LOW : (total - 2) / JOIN_LOW;
    if (board->groups == JOIN_MOST_GROUPS && total - JOIN_LOW * (JOIN_MOST_GROUPS - 1) <= JOIN_MOST_KEY_BITS)
        board->groups--;
    board->key_bits = total > JOIN_LOW * board->groups ? total - JOIN_LOW * board->groups : 0;
    for (int i = 0; i < total; i++)
        place[order[i]] = JOIN_LOW + i;
    const int above = board_key_shift(board) + board->key_bits;
    for (int half = TOP; half <= BOTTOM; half++) {
        int bit[2][2 * JOIN_MOST] = {{0}}, own = 0;
        for (int direction = 0; direction < 2; direction++)
            for (int line = 0; line < 2 * n - 1; line++) {
                const int crosses = line >= board->rows && line <= board->rows + n - 2;
                const int in_half = half == TOP ? line < board->rows : line > board->rows + n - 2;
                if (crosses)
                    bit[direction][line] = place[direction * crossing + line - board->rows];
                else if (in_half) {
                    bit[direction][line] = own < JOIN_LOW ? own : above + own - JOIN_LOW;
                    own++;
                }
            }
        for (int row = half == TOP ? 0 : board->rows; row < (half == TOP ? board->rows : n); row++)
            for (int column = 0; column < n; column++)
                board->squares[row][column] =
                    UINT64_C(1) << bit[0][column + row] | UINT64_C(1) << bit[1][row - column + n - 1];
    }
}

/* Write `one | many[i]` for each `many[i]` that shares no diagonal with `one`; return the end. May write one word past it. */
static uint64_t *disjoint_plain(uint64_t one, const uint64_t *many, const uint64_t *end, uint64_t *out)
{
    for (; many < end; many++) {
        *out = one | *many;
        out += (one & *many) == 0;
    }
    return out;
}

static int quadrant_make_room(Quadrant *quadrant, size_t number)
{
    if (number <= quadrant->capacity)
        return 0;
    const size_t capacity = number + number / 2;
    uint64_t *more = realloc(quadrant->words, capacity * sizeof *more);
    if (!more)
        return -1;
    quadrant->words = more;
    quadrant->capacity = capacity;
    return 0;
}

#define WORDS_OF_A_STEP (1 << 20)

/* List more placements on a quadrant; 1 when all are listed, 0 before, -1 if there is no memory. Those on some columns are
 * those on all of them but the last, which were listed before, with a queen in the last column. */
static int quadrant_step(const Board *board, Quadrant *quadrant, int half, int side)
{
    const int first_row = half == TOP ? 0 : board->n - board->rows, rows = board->rows;
    const int first_column = side == LEFT ? 0 : board_left_columns(board);
    const uint32_t column_sets = UINT32_C(1) << (side == LEFT ? board_left_columns(board) : board->n - first_column);
    const size_t row_sets = (size_t)1 << rows, until = quadrant->number + WORDS_OF_A_STEP;
    if (!quadrant->starts) {
        quadrant->starts = malloc((column_sets * row_sets + 1) * sizeof *quadrant->starts);
        if (!quadrant->starts)
            return -1;
    }
    if (!quadrant->next_columns) {
        if (quadrant_make_room(quadrant, 1) < 0)
            return -1;
        quadrant->words[0] = 0; /* on no column: no queen */
        quadrant->starts[0] = 0;
        for (size_t row_set = 1; row_set <= row_sets; row_set++)
            quadrant->starts[row_set] = 1;
        quadrant->number = quadrant->next_columns = 1;
    }
    for (; quadrant->next_columns < column_sets && quadrant->number < until; quadrant->next_columns++) {
        const uint32_t columns = quadrant->next_columns;
        const int size = count_bits(columns);
        int last = 0;
        while (columns >> last > 1)
            last++;
        const uint32_t *starts = quadrant->starts + (columns ^ UINT32_C(1) << last) * row_sets;
        if (quadrant_make_room(quadrant, quadrant->number + (size_t)rows * (starts[row_sets] - starts[0]) + 1) < 0)
            return -1;
        for (uint32_t row_set = 0; row_set < row_sets; row_set++) {
            uint64_t *out = quadrant->words + quadrant->number;
            quadrant->starts[columns * row_sets + row_set] = (uint32_t)quadrant->number;
            for (uint32_t rest = count_bits(row_set) == size ? row_set : 0; rest; rest &= rest - 1) {
                const int row = first_row + __builtin_ctz(rest), column = first_column + last;
                const uint32_t others = row_set ^ (rest & -rest);
                if (board->allowed[row] >> column & 1)
                    out = disjoint_plain(board->squares[row][column], quadrant->words + starts[others],
                                         quadrant->words + starts[others + 1], out);
            }
            quadrant->number = (size_t)(out - quadrant->words);
        }
        quadrant->starts[(columns + 1) * row_sets] = (uint32_t)quadrant->number;
    }
    if (quadrant->next_columns < column_sets)
        return 0;
    uint64_t *less = realloc(quadrant->words, quadrant->number * sizeof *less);
    if (less)
        quadrant->words = less;
    return 1;
}

static int board_add_set(Board *board, ColumnSet set)
{
    if (board->set_number == board->set_capacity) {
        const size_t capacity = board->set_capacity ? 2 * board->set_capacity : 1024;
        ColumnSet *more = realloc(board->sets, capacity * sizeof *more);
        if (!more)
            return -1;
        board->sets = more;
        board->set_capacity = capacity;
    }
    board->sets[board->set_number++] = set;
    return 0;
}

/* List the column sets, one of each orbit; 1, or -1 if there is no memory. What is moved is the pair of the top half's columns
 * and the middle queen's: the mirror (symmetries 1 and 2) reverses both, turning over (2) takes the bottom half's columns for
 * the top half's. */
static int board_list_sets(Board *board)
{
    const int n = board->n;
    const uint32_t full = lowest_bits(n), odd = (uint32_t)n & 1;
    uint32_t columns = lowest_bits(board->rows);
    board->set_number = 0;
    while (columns <= full) {
        uint32_t middles[5] = {0}; /* by weight */
        const int skipped = board->symmetry > 0 && reversed(columns, n) < columns; /* quickly, for all middle queens */
        for (uint32_t rest = skipped ? 0 : odd ? full & ~columns & board->allowed[board->rows] : 1; rest; rest &= rest - 1) {
            const uint32_t bit = rest & -rest, middle = odd ? bit : 0, others = full & ~columns & ~middle;
            const uint32_t images[4][2] = {{columns, middle},
                                           {reversed(columns, n), reversed(middle, n)},
                                           {others, middle},
                                           {reversed(others, n), reversed(middle, n)}};
            uint32_t distinct = 0;
            int smallest = 1;
            for (int i = 0; i < (board->symmetry == 0 ? 1 : 2 * board->symmetry); i++) {
                const uint32_t *image = images[i];
                if (image[0] < columns || (image[0] == columns && image[1] < middle))
                    smallest = 0;
                int seen = 0;
                for (int j = 0; j < i; j++)
                    seen |= images[j][0] == image[0] && images[j][1] == image[1];
                distinct += !seen;
            }
            if (smallest)
                middles[distinct] |= bit;
        }
        for (uint32_t weight = 1; weight <= 4; weight++)
            if (middles[weight] && board_add_set(board, (ColumnSet){columns, middles[weight], weight}) < 0)
                return -1;
        const uint32_t low = columns & -columns, ripple = columns + low; /* the next larger set of as many columns */
        columns = ripple | ((ripple ^ columns) / low >> 2);
    }
    return 1;
}

/* Make more of the board's tables, the column sets first; 1 when all are made, 0 before, -1 if there is no memory. */
static int board_step(Board *board)
{
    if (board->tables_made == 5)
        return 1;
    const int half = (board->tables_made - 1) / 2, side = (board->tables_made - 1) % 2;
    const int made = !board->tables_made ? board_list_sets(board)
                                         : quadrant_step(board, &board->quadrants[half][side], half, side);
    if (made < 0)
        return -1;
    board->tables_made += made;
    return board->tables_made == 5;
}

static void board_release(Board *board)
{
    for (int half = TOP; half <= BOTTOM; half++)
        for (int side = LEFT; side <= RIGHT; side++) {
            free(board->quadrants[half][side].starts);
            free(board->quadrants[half][side].words);
        }
    free(board->sets);
}

#endif
