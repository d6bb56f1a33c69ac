/* The last rows of a square board as a table: for every set of columns that they can take, all their placements in
 * lexicographic order. Listing looks placements up instead of searching for them: one that fits takes no diagonal that is taken
 * above, which is one AND for each, on several at a time. */
#ifndef NQUEENS_CP_LAST_ROWS_H
#define NQUEENS_CP_LAST_ROWS_H

#include "_kernel.h"

#define LAST_ROWS 6
#define LAST_ROWS_MOST 16 /* columns: a placement's diagonals and antidiagonals, as seen from its first row, are 32 bits */
#define CHUNK 16          /* placements that are looked at together; every list is filled up to a multiple of it */

typedef struct {
    uint8_t columns[8]; /* of LAST_ROWS rows */
} LastColumns;

typedef struct {
    uint32_t *starts;    /* by set of columns: where its list begins, with one more for the end */
    uint32_t *diagonals; /* of each placement; all ones in what fills a list up, which fits nowhere */
    LastColumns *columns;
    size_t longest; /* placements of a list */
} LastRows;

typedef uint32_t Lanes __attribute__((vector_size(16)));

typedef struct {
    const uint64_t *allowed; /* of the last rows */
    uint32_t full;
    uint32_t *numbers; /* by set of columns: how many placements there are so far */
    LastRows *table;   /* NULL while they are only counted */
    LastColumns chosen;
} LastPlacing;

/* Go through all placements of the last rows from `row` on. `columns`, `diagonals` and `antidiagonals` are taken, seen from the
 * row; `seen` has the diagonals and, 16 bits higher, the antidiagonals seen from the first of these rows. */
static void place_last(LastPlacing *placing, int row, uint32_t columns, uint32_t diagonals, uint32_t antidiagonals, uint32_t seen)
{
    if (row == LAST_ROWS) {
        uint32_t number = placing->numbers[columns]++;
        if (placing->table) {
            placing->table->diagonals[placing->table->starts[columns] + number] = seen;
            placing->table->columns[placing->table->starts[columns] + number] = placing->chosen;
        }
        return;
    }
    uint32_t free = (uint32_t)placing->allowed[row] & ~(columns | diagonals | antidiagonals);
    for (; free; free &= free - 1) {
        const uint32_t bit = free & -free;
        placing->chosen.columns[row] = (uint8_t)lowest(bit);
        place_last(placing, row + 1, columns | bit, (diagonals | bit) << 1, (antidiagonals | bit) >> 1,
                   seen | bit >> row | (bit << row & placing->full) << 16);
    }
}

static void last_rows_release(LastRows *table)
{
    free(table->starts);
    free(table->diagonals);
    free(table->columns);
    memset(table, 0, sizeof *table);
}

/* Make the table of a board of `width` columns, whose last rows are allowed the masks `allowed`; without memory there is none. */
static void last_rows_make(LastRows *table, const uint64_t *allowed, int width)
{
    const size_t sets = (size_t)1 << width;
    LastPlacing placing = {allowed, (uint32_t)full_mask(width), calloc(sets, sizeof(uint32_t)), NULL, {{0}}};
    table->starts = malloc((sets + 1) * sizeof *table->starts);
    if (placing.numbers && table->starts) {
        place_last(&placing, 0, 0, 0, 0, 0);
        uint32_t total = 0;
        for (size_t set = 0; set < sets; set++) {
            if (table->longest < placing.numbers[set])
                table->longest = placing.numbers[set];
            table->starts[set] = total;
            total += (placing.numbers[set] + CHUNK - 1) / CHUNK * CHUNK;
            placing.numbers[set] = 0;
        }
        table->starts[sets] = total;
        table->diagonals = malloc((total + 1) * sizeof *table->diagonals);
        table->columns = malloc((total + 1) * sizeof *table->columns);
        if (table->diagonals && table->columns) {
            memset(table->diagonals, 0xff, total * sizeof *table->diagonals);
            placing.table = table;
            place_last(&placing, 0, 0, 0, 0, 0);
        }
    }
    free(placing.numbers);
    if (!placing.table)
        last_rows_release(table);
}

static Lanes fitting(const uint32_t *diagonals, uint32_t taken)
{
    Lanes lanes;
    memcpy(&lanes, diagonals, sizeof lanes);
    return (Lanes)((lanes & taken) == 0);
}

/* Say whether any of a chunk of placements takes none of the diagonals `taken`. */
static int any_fits(const uint32_t *diagonals, uint32_t taken)
{
    Lanes any = fitting(diagonals, taken) | fitting(diagonals + 4, taken) | fitting(diagonals + 8, taken) |
                fitting(diagonals + 12, taken);
    uint64_t halves[2];
    memcpy(halves, &any, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

#endif
