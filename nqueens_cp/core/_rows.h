/* The search of the diagonal form, row by row on bit masks. */
#ifndef NQUEENS_CP_ROWS_H
#define NQUEENS_CP_ROWS_H

#include "_kernel.h"
#include "_last_rows.h"

#define MAX_ROWS 64
#define RECURSIVE_COLUMNS 9    /* at most so many columns are left where counting goes on by recursion */

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
    LastRows last_rows; /* what `fill` looks up, once it is made; see look_up_and_fill */
    int last_rows_tried;
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
    last_rows_release(&((RowSearch *)object)->last_rows);
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

#endif
