/* Listing the solutions of the diagonal form, in lexicographic order. */
#ifndef NQUEENS_CP_ROWS_LIST_H
#define NQUEENS_CP_ROWS_LIST_H

#include "_rows.h"

#define RECURSIVE_FILL_COLUMNS 7 /* at most so many columns are left where listing goes on by recursion */
#define MOST_BELOW 5040          /* solutions with 7 columns left: at most 7! */
#define LAST_ROWS_LEAST 12       /* columns of a square board whose last rows are looked up */
#define LAST_ROWS_AFTER 100000   /* nodes of a listing before that table is made */
#define LATE 8                   /* how many solutions wait for their last rows */
#define KEPT_SIDE 16             /* boards of at most so many rows and columns have solutions of four bits a row */
#define FIRST_KEPT 1024
#define MOST_KEPT (1 << 23)      /* solutions kept for the mirror, of 8 bytes each: 64 MiB */

static int has_mirror(const RowSearch *self)
{
    for (int row = 0; row < self->rows; row++)
        for (int column = 0; column < self->width / 2; column++)
            if ((self->allowed[row] >> column & 1) != (self->allowed[row] >> (self->width - 1 - column) & 1))
                return 0;
    return self->watch_diagonals == self->watch_antidiagonals;
}

static void start_listing(RowSearch *self)
{
    const int untouched = self->nodes == 0 && self->row == 0;
    self->mirror = NO_MIRROR;
    if (untouched && self->rows <= KEPT_SIDE && self->width <= KEPT_SIDE && has_mirror(self)) {
        self->mirror = KEEPING;
        self->entered[0] = self->rest[0] = self->allowed[0] & ~right_half(self);
    }
}

static void keep_solutions(RowSearch *self, const uint8_t *solutions, size_t number)
{
    if (self->kept_capacity < self->kept_number + number) {
        size_t capacity = self->kept_capacity ? self->kept_capacity : FIRST_KEPT;
        while (capacity < self->kept_number + number)
            capacity *= 2;
        uint64_t *more = capacity > MOST_KEPT ? NULL : realloc(self->kept, capacity * sizeof *more);
        if (!more) {
            stop_keeping(self);
            return;
        }
        self->kept = more;
        self->kept_capacity = capacity;
    }
    for (; number; number--, solutions += self->rows) {
        if (2 * solutions[0] + 1 == self->width) /* the middle column */
            continue;
        uint64_t packed = 0;
        for (int row = 0; row < self->rows; row++)
            packed |= (uint64_t)solutions[row] << 4 * row;
        self->kept[self->kept_number++] = packed;
    }
}

/* Write kept solutions turned left for right, the last first; return how many. */
static size_t fill_from_kept(RowSearch *self, uint8_t *out, size_t capacity)
{
    const size_t number = self->kept_number < capacity ? self->kept_number : capacity;
    for (size_t i = 0; i < number; i++) {
        uint64_t packed = self->kept[--self->kept_number];
        for (int row = 0; row < self->rows; row++)
            *out++ = (uint8_t)(self->width - 1 - (int)(packed >> 4 * row & 15));
    }
    if (!self->kept_number) {
        release_kept(self);
        self->row = -1;
    }
    return number;
}

typedef struct {
    const uint64_t *allowed;
    int last;
    uint8_t *chosen, *out;
    size_t written;
    uint64_t nodes;
} Filling;

/* Write all solutions below one row, all three kinds of lines watched, by plain recursion. */
static void fill_below(Filling *filling, int row, uint64_t free, uint64_t columns, uint64_t diagonals, uint64_t antidiagonals)
{
    const size_t rows = (size_t)filling->last + 1;
    if (row == filling->last) {
        for (; free; free &= free - 1) {
            filling->nodes++;
            filling->chosen[row] = (uint8_t)lowest(free);
            memcpy(filling->out + filling->written++ * rows, filling->chosen, rows);
        }
        return;
    }
    const uint64_t next_allowed = filling->allowed[row + 1];
    const uint64_t second_allowed = row + 2 <= filling->last ? filling->allowed[row + 2] : ~UINT64_C(0);
    for (; free; free &= free - 1) {
        uint64_t bit = free & -free;
        filling->nodes++;
        uint64_t next_columns = columns | bit;
        uint64_t next_diagonals = (diagonals | bit) << 1, next_antidiagonals = (antidiagonals | bit) >> 1;
        uint64_t next = next_allowed & ~(next_columns | next_diagonals | next_antidiagonals);
        uint64_t second = second_allowed & ~(next_columns | next_diagonals << 1 | next_antidiagonals >> 1);
        if ((next != 0) & (second != 0)) {
            filling->chosen[row] = (uint8_t)lowest(bit);
            fill_below(filling, row + 1, next, next_columns, next_diagonals, next_antidiagonals);
        }
    }
}

/* Write at most `capacity` solutions of one byte a row, for at most `budget` nodes, until the search is above the row `top`;
 * return how many. */
static size_t search_and_fill(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity, int top)
{
    const int last = self->rows - 1;
    const int all_watched = self->watch_columns && self->watch_diagonals && self->watch_antidiagonals;
    const int recursive_from = all_watched ? self->width - RECURSIVE_FILL_COLUMNS : MAX_ROWS;
    int row = self->row;
    size_t written = 0;
    uint64_t nodes = 0;
    while (row >= top && written < capacity && nodes < budget) {
        uint64_t free = self->rest[row];
        if (!free) {
            row--;
            continue;
        }
        nodes++;
        uint64_t bit = free & -free;
        self->rest[row] = free ^ bit;
        self->chosen[row] = (uint8_t)lowest(bit);
        if (row == last) {
            memcpy(out + written++ * (size_t)self->rows, self->chosen, (size_t)self->rows);
            continue;
        }
        uint64_t columns = (self->columns[row] | bit) & self->watch_columns;
        uint64_t diagonals = ((self->diagonals[row] | bit) << 1) & self->watch_diagonals;
        uint64_t antidiagonals = ((self->antidiagonals[row] | bit) >> 1) & self->watch_antidiagonals;
        uint64_t next = self->allowed[row + 1] & ~(columns | diagonals | antidiagonals);
        if (next && row + 1 >= recursive_from && capacity - written >= MOST_BELOW) {
            Filling filling = {self->allowed, last, self->chosen, out, written, 0};
            fill_below(&filling, row + 1, next, columns, diagonals, antidiagonals);
            written = filling.written;
            nodes += filling.nodes;
        } else if (next) {
            row++;
            self->columns[row] = columns;
            self->diagonals[row] = diagonals;
            self->antidiagonals[row] = antidiagonals;
            self->entered[row] = self->rest[row] = next;
        }
    }
    self->row = row;
    self->nodes += nodes;
    return written;
}

/* A look-up takes the last rows of a solution from a table, which is seldom at hand: so they are written when LATE further
 * solutions have been found. */
typedef struct {
    const LastRows *table;
    uint8_t *out;
    size_t rows, first, written;
    uint32_t late[LATE]; /* where the last rows of the solutions up to `written` are */
} LookUp;

static void write_last_rows(const LookUp *look_up, size_t number)
{
    const LastColumns *columns = look_up->table->columns + look_up->late[number % LATE];
    memcpy(look_up->out + (number + 1) * look_up->rows - LAST_ROWS, columns->columns, LAST_ROWS);
}

static void write_all_last_rows(const LookUp *look_up)
{
    const size_t waiting = look_up->written - look_up->first < LATE ? look_up->written - look_up->first : LATE;
    for (size_t number = look_up->written - waiting; number < look_up->written; number++)
        write_last_rows(look_up, number);
}

/* Write the solutions below the rows chosen, which leave a set of columns and take these diagonals. */
static void write_fitting(LookUp *look_up, const uint8_t *chosen, uint32_t set, uint32_t taken)
{
    const LastRows *table = look_up->table;
    const uint32_t *const diagonals = table->diagonals;
    const uint32_t end = table->starts[set + 1];
    for (uint32_t chunk = table->starts[set]; chunk < end; chunk += CHUNK) {
        if (!any_fits(diagonals + chunk, taken))
            continue;
        for (uint32_t k = chunk; k < chunk + CHUNK; k++) {
            if (diagonals[k] & taken)
                continue;
            __builtin_prefetch(table->columns + k);
            memcpy(look_up->out + look_up->written * look_up->rows, chosen, look_up->rows - LAST_ROWS);
            if (look_up->written - look_up->first >= LATE)
                write_last_rows(look_up, look_up->written - LATE);
            look_up->late[look_up->written++ % LATE] = k;
        }
    }
}

/* Do what search_and_fill does, `written` solutions being there, with the last rows looked up; above them the search must be. It
 * stops where less than the longest list has room. */
static size_t look_up_and_fill(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity, size_t written)
{
    const int above = self->rows - LAST_ROWS;
    const uint64_t full = full_mask(self->width);
    LookUp found = {&self->last_rows, out, (size_t)self->rows, written, written, {0}};
    int row = self->row;
    uint64_t nodes = 0, free = self->rest[row];
    uint64_t columns = self->columns[row], diagonals = self->diagonals[row], antidiagonals = self->antidiagonals[row];
    while (nodes < budget && capacity - found.written >= self->last_rows.longest) {
        if (!free) {
            self->rest[row] = 0;
            if (--row < 0)
                break;
            free = self->rest[row];
            columns = self->columns[row];
            diagonals = self->diagonals[row];
            antidiagonals = self->antidiagonals[row];
            continue;
        }
        nodes++;
        const uint64_t bit = free & -free;
        free ^= bit;
        self->chosen[row] = (uint8_t)lowest(bit);
        const uint64_t next_columns = columns | bit;
        const uint64_t next_diagonals = (diagonals | bit) << 1, next_antidiagonals = (antidiagonals | bit) >> 1;
        const uint64_t next = self->allowed[row + 1] & ~(next_columns | next_diagonals | next_antidiagonals);
        if (row + 1 == above) {
            const uint64_t second = self->allowed[row + 2] & ~(next_columns | next_diagonals << 1 | next_antidiagonals >> 1);
            if ((next != 0) & (second != 0))
                write_fitting(&found, self->chosen, (uint32_t)(full & ~next_columns),
                        (uint32_t)((next_diagonals & full) | next_antidiagonals << 16));
        } else if (next) {
            self->rest[row++] = free;
            self->columns[row] = columns = next_columns;
            self->diagonals[row] = diagonals = next_diagonals;
            self->antidiagonals[row] = antidiagonals = next_antidiagonals;
            self->entered[row] = free = next;
        }
    }
    if (row >= 0)
        self->rest[row] = free;
    write_all_last_rows(&found);
    self->row = row;
    self->nodes += nodes;
    return found.written;
}

static void make_last_rows(RowSearch *self)
{
    self->last_rows_tried = 1;
    if (self->rows == self->width && self->width >= LAST_ROWS_LEAST && self->width <= LAST_ROWS_MOST &&
        self->watch_columns && self->watch_diagonals && self->watch_antidiagonals)
        last_rows_make(&self->last_rows, self->allowed + self->rows - LAST_ROWS, self->width);
}

static size_t search_or_look_up(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity)
{
    if (self->nodes >= LAST_ROWS_AFTER && !self->last_rows_tried)
        make_last_rows(self);
    if (!self->last_rows.starts || capacity < self->last_rows.longest)
        return search_and_fill(self, budget, out, capacity, 0);
    const int top = self->rows - LAST_ROWS;
    const size_t written = search_and_fill(self, budget, out, capacity, top);
    return self->row < 0 || self->row >= top ? written : look_up_and_fill(self, budget, out, capacity, written);
}

static size_t row_search_run_fill(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity)
{
    size_t written;
    if (self->mirror == NOT_STARTED)
        start_listing(self);
    if (self->mirror == MIRRORING) {
        written = fill_from_kept(self, out, capacity);
    } else {
        written = search_or_look_up(self, budget, out, capacity);
        if (self->mirror == KEEPING)
            keep_solutions(self, out, written);
        if (self->mirror == KEEPING && self->row < 0 && self->kept_number) {
            self->mirror = MIRRORING;
            self->kept_total = self->kept_number;
            self->row = 0; /* not done yet */
        }
    }
    self->found += written;
    return written;
}

#endif
