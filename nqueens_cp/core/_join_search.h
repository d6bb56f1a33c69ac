/* Counting by joining half boards: the search over column sets. No Python in here. */
#ifndef NQUEENS_CP_JOIN_SEARCH_H
#define NQUEENS_CP_JOIN_SEARCH_H

#include "_join_widths.h"

#define JOIN_BLOCK (64 * JOIN_WORDS)

/* A growing list of half boards. */
typedef struct {
    uint64_t *boards;
    size_t number, capacity;
} HalfBoards;

/* The count over a range of column sets; between two blocks of stored boards it can be stopped and gone on with. */
typedef struct {
    const Board *board;
    const Vectors *vectors;
    size_t first_set, set, end_set; /* `set` is the next one to be listed */
    HalfBoards queries, stored, sorted;
    size_t next_stored; /* of the set in hand */
    uint64_t weight;
    uint32_t key_starts[(1 << JOIN_MOST_KEY_BITS) + 1]; /* of the queries */
    Tables *tables; /* within `memory`, at a multiple of a row's 64 bytes */
    void *memory;
    uint64_t found, nodes; /* nodes: queries put to a block, and half boards made */
} Join;

/* `join` is all zeros; -1 if there is no memory. */
static int join_start(Join *join, const Board *board, const Vectors *vectors, size_t first_set, size_t end_set)
{
    join->board = board;
    join->vectors = vectors;
    join->first_set = join->set = first_set;
    join->end_set = end_set;
    join->memory = malloc(sizeof *join->tables + 63);
    join->tables = (Tables *)(((uintptr_t)join->memory + 63) & ~(uintptr_t)63);
    return join->memory ? 0 : -1;
}

static int join_done(const Join *join)
{
    return join->set == join->end_set && join->next_stored == join->stored.number;
}

static double join_share_done(const Join *join)
{
    const size_t sets = join->end_set - join->first_set, begun = join->set - join->first_set, stored = join->stored.number;
    if (join_done(join))
        return 1.0;
    return ((double)begun - (stored ? (double)(stored - join->next_stored) / (double)stored : 0.0)) / (double)sets;
}

/* Make room for the half boards on some columns, at most so many as pairs of quadrants, and what a vector writes beyond. */
static int make_room(const Board *board, int half, uint32_t columns, HalfBoards *list)
{
    const uint32_t *left_starts = starts_of(board, half, LEFT, columns);
    const uint32_t *right_starts = starts_of(board, half, RIGHT, columns);
    size_t most = list->number + JOIN_BLOCK;
    for (uint32_t row_set = 0, all_rows = lowest_bits(board->rows); row_set <= all_rows; row_set++)
        most += (size_t)(left_starts[row_set + 1] - left_starts[row_set]) *
                (right_starts[(all_rows ^ row_set) + 1] - right_starts[all_rows ^ row_set]);
    if (most <= list->capacity)
        return 0;
    most += most / 2;
    uint64_t *more = realloc(list->boards, most * sizeof *more);
    if (!more)
        return -1;
    list->boards = more;
    list->capacity = most;
    return 0;
}

static int add_half_boards(Join *join, int half, uint32_t columns, uint64_t extra, HalfBoards *list)
{
    if (make_room(join->board, half, columns, list) < 0)
        return -1;
    const uint64_t *end = join->vectors->half_boards(join->board, half, columns, extra, list->boards + list->number);
    list->number = (size_t)(end - list->boards);
    return 0;
}

#define STREAMS 4 /* quarters of a list are sorted side by side, so that the next does not wait for the last one's counter */

/* Sort a list by key, with `sorted` as the other list, and write where each key starts. */
static int sort_by_key(Join *join, HalfBoards *list, uint32_t *key_starts)
{
    const int shift = board_key_shift(join->board), keys = 1 << join->board->key_bits;
    const size_t number = list->number, quarter = number / STREAMS;
    if (join->sorted.capacity < list->capacity) {
        uint64_t *more = realloc(join->sorted.boards, list->capacity * sizeof *more);
        if (!more)
            return -1;
        join->sorted.boards = more;
        join->sorted.capacity = list->capacity;
    }
    const uint64_t *boards = list->boards;
    uint64_t *out = join->sorted.boards;
    uint32_t next[STREAMS][1 << JOIN_MOST_KEY_BITS];
#define KEY(i) (boards[i] >> shift & (uint64_t)(keys - 1))
    for (int stream = 0; stream < STREAMS; stream++)
        memset(next[stream], 0, (size_t)keys * sizeof **next);
    for (size_t i = 0; i < quarter; i++)
        for (int stream = 0; stream < STREAMS; stream++)
            next[stream][KEY(stream * quarter + i)]++;
    for (size_t i = STREAMS * quarter; i < number; i++)
        next[STREAMS - 1][KEY(i)]++;
    uint32_t start = 0;
    for (int key = 0; key < keys; key++) {
        key_starts[key] = start;
        for (int stream = 0; stream < STREAMS; stream++) {
            const uint32_t here = next[stream][key];
            next[stream][key] = start;
            start += here;
        }
    }
    key_starts[keys] = start;
    for (size_t i = 0; i < quarter; i++)
        for (int stream = 0; stream < STREAMS; stream++) {
            const size_t at = (size_t)stream * quarter + i;
            out[next[stream][KEY(at)]++] = boards[at];
        }
    for (size_t i = STREAMS * quarter; i < number; i++)
        out[next[STREAMS - 1][KEY(i)]++] = boards[i];
#undef KEY
    const HalfBoards swapped = *list;
    *list = join->sorted;
    list->number = number;
    join->sorted = swapped;
    return 0;
}

/* List and sort the half boards of the next column set; -1 if there is no memory. */
static int next_set(Join *join)
{
    const Board *board = join->board;
    const ColumnSet *set = &board->sets[join->set++];
    const uint32_t others = lowest_bits(board->n) & ~set->columns;
    uint32_t key_starts[(1 << JOIN_MOST_KEY_BITS) + 1];
    join->queries.number = join->stored.number = join->next_stored = 0;
    join->weight = set->weight;
    if (add_half_boards(join, TOP, set->columns, 0, &join->queries) < 0)
        return -1;
    if (board->n % 2 == 0) {
        if (join->queries.number && add_half_boards(join, BOTTOM, others, 0, &join->stored) < 0)
            return -1;
    } else if (join->queries.number) {
        for (uint32_t rest = set->middles; rest; rest &= rest - 1) {
            const uint64_t queen = board->squares[board->rows][__builtin_ctz(rest)];
            if (add_half_boards(join, BOTTOM, others & ~(rest & -rest), queen, &join->stored) < 0)
                return -1;
        }
    }
    join->nodes += join->queries.number + join->stored.number + 1;
    if (!join->stored.number)
        return 0;
    if (sort_by_key(join, &join->stored, key_starts) < 0 || sort_by_key(join, &join->queries, join->key_starts) < 0)
        return -1;
    memset(join->stored.boards + join->stored.number, 0, JOIN_BLOCK * sizeof *join->stored.boards);
    return 0;
}

/* Count on for about `budget` nodes; -1 if there is no memory. */
static int join_run(Join *join, uint64_t budget)
{
    const uint64_t until = join->nodes + budget;
    const size_t block = 64 * (size_t)join->vectors->words;
    while (!join_done(join) && join->nodes < until) {
        if (join->next_stored == join->stored.number) {
            if (next_set(join) < 0) { /* it can be tried again */
                join->set--;
                join->stored.number = join->next_stored = 0;
                return -1;
            }
            continue;
        }
        const size_t left = join->stored.number - join->next_stored, number = left < block ? left : block;
        join->found += join->weight * join->vectors->join_block(join->board, join->stored.boards + join->next_stored, number,
                                                                join->queries.boards, join->key_starts, join->tables,
                                                                &join->nodes);
        join->next_stored += number;
    }
    return 0;
}

static void join_release(Join *join)
{
    free(join->queries.boards);
    free(join->stored.boards);
    free(join->sorted.boards);
    free(join->memory);
}

#endif
