/* The search of the diagonal form, row by row on bit masks. */
#ifndef NQUEENS_CP_ROWS_H
#define NQUEENS_CP_ROWS_H

#include "_kernel.h"

#define MAX_ROWS 64
#define RECURSIVE_COLUMNS 9    /* at most so many columns are left where counting goes on by recursion */
#define RECURSIVE_FILL_COLUMNS 7
#define MOST_BELOW 5040        /* solutions with 7 columns left: at most 7! */
#define KEPT_SIDE 16           /* boards of at most so many rows and columns have solutions of four bits a row */
#define FIRST_KEPT 1024
#define MOST_KEPT (1 << 23)    /* solutions kept for the mirror, of 8 bytes each: 64 MiB */

typedef struct {
    PyObject_HEAD
    int rows;
    int width;
    int row; /* the row whose columns are being tried; -1 when all is done */
    int busy;
    uint64_t watch_columns, watch_diagonals, watch_antidiagonals; /* all ones, or 0 for lines that are not watched */
    uint64_t allowed[MAX_ROWS];
    uint64_t entered[MAX_ROWS], rest[MAX_ROWS]; /* a row's free columns when it was entered, and those not tried yet */
    uint64_t columns[MAX_ROWS], diagonals[MAX_ROWS], antidiagonals[MAX_ROWS]; /* taken, seen from the row */
    uint8_t chosen[MAX_ROWS];
    uint64_t found, nodes;
    enum { NOT_STARTED, NO_MIRROR, KEEPING, MIRRORING } mirror; /* how `fill` uses the mirror; see keep_solutions */
    uint64_t *kept;
    size_t kept_number, kept_capacity, kept_total;
} RowSearch;

static PyObject *row_search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"allowed", "width", "columns", "diagonals", "antidiagonals", NULL};
    PyObject *masks;
    int width, columns, diagonals, antidiagonals;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oippp", names, &masks, &width, &columns, &diagonals, &antidiagonals))
        return NULL;
    if (width < 1 || width > WORD)
        return PyErr_Format(PyExc_ValueError, "width: %d is not in 1..%d", width, WORD);
    Py_buffer view;
    if (get_buffer(masks, &view, 8, 0, "allowed") < 0)
        return NULL;
    Py_ssize_t rows = view.len / 8;
    if (rows < 1 || rows > MAX_ROWS) {
        PyBuffer_Release(&view);
        return PyErr_Format(PyExc_ValueError, "allowed: %zd rows are not in 1..%d", rows, MAX_ROWS);
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    RowSearch *self = (RowSearch *)alloc(type, 0);
    if (self) {
        memcpy(self->allowed, view.buf, (size_t)view.len);
        for (int row = 0; row < rows; row++)
            self->allowed[row] &= full_mask(width);
        self->rows = (int)rows;
        self->width = width;
        self->watch_columns = columns ? ~UINT64_C(0) : 0;
        self->watch_diagonals = diagonals ? ~UINT64_C(0) : 0;
        self->watch_antidiagonals = antidiagonals ? ~UINT64_C(0) : 0;
        self->entered[0] = self->rest[0] = self->allowed[0];
    }
    PyBuffer_Release(&view);
    return (PyObject *)self;
}

/* Listing uses the mirror where the board has one and is small: the left half of the first row (and the middle column) is
 * searched, its solutions are kept, and then turned left for right and handed over last to first, which is the lexicographic
 * order of the right half. Where they become too many, they are let go and the right half is searched like any other. */
static uint64_t right_half(const RowSearch *self)
{
    return self->allowed[0] & ~full_mask((self->width + 1) / 2);
}

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

static void release_kept(RowSearch *self)
{
    free(self->kept);
    self->kept = NULL;
    self->kept_number = self->kept_capacity = 0;
}

static void stop_keeping(RowSearch *self)
{
    release_kept(self);
    self->mirror = NO_MIRROR;
    self->entered[0] |= right_half(self);
    self->rest[0] |= right_half(self);
    if (self->row < 0)
        self->row = 0;
}

/* What is left for counting after a listing that was not finished. */
static void finish_listing(RowSearch *self)
{
    if (self->mirror == KEEPING)
        stop_keeping(self);
    if (self->mirror == MIRRORING && self->row >= 0) {
        self->found += self->kept_number;
        release_kept(self);
        self->row = -1;
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
    uint64_t found, nodes;
} Tally;

/* Count below one row, all three kinds of lines watched, by plain recursion. `allowed` is that row's mask, `last` the last
 * row's, `free` the row's free columns, at least one. A column that leaves no square in one of the next two rows is skipped. */
static Tally count_below(const uint64_t *allowed, const uint64_t *last, uint64_t free, uint64_t columns, uint64_t diagonals,
                         uint64_t antidiagonals)
{
    Tally tally = {0, 0};
    const uint64_t next_allowed = *++allowed;
    if (allowed == last) {
        do {
            uint64_t bit = free & -free;
            free &= free - 1;
            tally.nodes++;
            uint64_t next = next_allowed & ~((columns | bit) | ((diagonals | bit) << 1) | ((antidiagonals | bit) >> 1));
            for (; next; next &= next - 1)
                tally.found++;
        } while (free);
        return tally;
    }
    const uint64_t second_allowed = allowed[1];
    do {
        uint64_t bit = free & -free;
        free &= free - 1;
        tally.nodes++;
        uint64_t next_columns = columns | bit;
        uint64_t next_diagonals = (diagonals | bit) << 1, next_antidiagonals = (antidiagonals | bit) >> 1;
        uint64_t next = next_allowed & ~(next_columns | next_diagonals | next_antidiagonals);
        uint64_t second = second_allowed & ~(next_columns | next_diagonals << 1 | next_antidiagonals >> 1);
        if ((next != 0) & (second != 0)) {
            Tally below = count_below(allowed, last, next, next_columns, next_diagonals, next_antidiagonals);
            tally.found += below.found;
            tally.nodes += below.nodes;
        }
    } while (free);
    return tally;
}

/* Count for about `budget` nodes. The last row is not searched: its free columns are counted. Where only a few columns are
 * left, so that a slice stays short, plain recursion takes over, which is faster. */
static void row_search_run_count(RowSearch *self, uint64_t budget)
{
    const int last = self->rows - 1;
    const int all_watched = self->watch_columns && self->watch_diagonals && self->watch_antidiagonals;
    const int recursive_from = all_watched ? self->width - RECURSIVE_COLUMNS : MAX_ROWS;
    finish_listing(self);
    int row = self->row;
    uint64_t total = 0, nodes = 0;
    if (row == last) { /* a single row, or listing stopped there */
        total = (uint64_t)popcount(self->rest[row]);
        nodes = 1;
        self->rest[row--] = 0;
    }
    if (row < 0) {
        self->row = row;
        self->found += total;
        self->nodes += nodes;
        return;
    }
    uint64_t free = self->rest[row];
    uint64_t columns = self->columns[row], diagonals = self->diagonals[row], antidiagonals = self->antidiagonals[row];
    for (;;) {
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
        if (nodes >= budget) {
            self->rest[row] = free;
            break;
        }
        nodes++;
        uint64_t bit = free & -free;
        free ^= bit;
        uint64_t next_columns = (columns | bit) & self->watch_columns;
        uint64_t next_diagonals = ((diagonals | bit) << 1) & self->watch_diagonals;
        uint64_t next_antidiagonals = ((antidiagonals | bit) >> 1) & self->watch_antidiagonals;
        uint64_t next = self->allowed[row + 1] & ~(next_columns | next_diagonals | next_antidiagonals);
        if (row + 1 == last) {
            for (; next; next &= next - 1)
                total++;
        } else if (next && row + 1 >= recursive_from) {
            Tally below = count_below(self->allowed + row + 1, self->allowed + last, next, next_columns, next_diagonals,
                                      next_antidiagonals);
            total += below.found;
            nodes += below.nodes;
        } else if (next) {
            self->rest[row++] = free;
            self->columns[row] = columns = next_columns;
            self->diagonals[row] = diagonals = next_diagonals;
            self->antidiagonals[row] = antidiagonals = next_antidiagonals;
            self->entered[row] = free = next;
        }
    }
    self->row = row;
    self->found += total;
    self->nodes += nodes;
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

/* Write at most `capacity` solutions of one byte a row, for at most `budget` nodes; return how many. */
static size_t search_and_fill(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity)
{
    const int last = self->rows - 1;
    const int all_watched = self->watch_columns && self->watch_diagonals && self->watch_antidiagonals;
    const int recursive_from = all_watched ? self->width - RECURSIVE_FILL_COLUMNS : MAX_ROWS;
    int row = self->row;
    size_t written = 0;
    uint64_t nodes = 0;
    while (row >= 0 && written < capacity && nodes < budget) {
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

static size_t row_search_run_fill(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity)
{
    size_t written;
    if (self->mirror == NOT_STARTED)
        start_listing(self);
    if (self->mirror == MIRRORING) {
        written = fill_from_kept(self, out, capacity);
    } else {
        written = search_and_fill(self, budget, out, capacity);
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

static double row_search_share_done(const RowSearch *self)
{
    if (self->row < 0)
        return 1.0;
    if (self->mirror == MIRRORING)
        return 1.0 - 0.5 * (double)self->kept_number / (double)self->kept_total;
    return done_share(self->entered, self->rest, self->row) * (self->mirror == KEEPING ? 0.5 : 1.0);
}

static void row_search_dealloc(PyObject *object)
{
    release_kept((RowSearch *)object);
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

#endif
