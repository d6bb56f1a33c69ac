/* The search of the diagonal form, row by row on bit masks. */
#ifndef NQUEENS_CP_ROWS_H
#define NQUEENS_CP_ROWS_H

#include "_kernel.h"

#define MAX_ROWS 64
#define RECURSIVE_COLUMNS 9    /* at most so many columns are left where counting goes on by recursion */
#define RECURSIVE_FILL_COLUMNS 7
#define MOST_BELOW 5040        /* solutions with 7 columns left: at most 7! */

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
    int row = self->row;
    uint64_t total = 0, nodes = 0;
    if (row < 0)
        return;
    if (last == 0) {
        self->found += (uint64_t)popcount(self->rest[0]);
        self->nodes += 1;
        self->rest[0] = 0;
        self->row = -1;
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
static size_t row_search_run_fill(RowSearch *self, uint64_t budget, uint8_t *out, size_t capacity)
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
    self->found += written;
    self->nodes += nodes;
    return written;
}

static void row_search_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

#endif
