/* One solution of a large board, at random, by local search.
 *
 * Source: R. Sosic and J. Gu, Efficient local search with conflict minimization: a case study of the n-queens problem, IEEE
 * Transactions on Knowledge and Data Engineering 6 (1994). The columns are a permutation. Row by row, a random one of the
 * columns left is looked for on which no queen above is met; the few rows that find none wait, and are then exchanged with random
 * other rows wherever that leaves fewer collisions. A collision is a queen too many on a diagonal. Stuck, it starts again. The
 * random numbers are those of SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014).
 */
#ifndef NQUEENS_CP_LOCAL_SEARCH_H
#define NQUEENS_CP_LOCAL_SEARCH_H

#include "_kernel.h"

#define LARGEST_SIZE 100000000
#define PLACING_TRIES 64   /* random columns that a row tries while it is placed; about one in four is free */
#define REPAIRING_TRIES 1000 /* random rows that a waiting row tries; less than that on small boards */
#define MOST_PLACED_WAITING 120 /* so there are at most 240 collisions, and a count fits a byte */
#define MOST_WAITING 512 /* a repair removes a collision and adds at most one waiting row: at most 120 + 240 */

typedef struct {
    PyObject_HEAD
    uint32_t size;
    int busy;
    enum { PLACING, REPAIRING, PLACED } phase;
    uint64_t random;
    uint32_t row, tries;               /* the row to be placed, and how often it or a waiting row has tried */
    uint32_t *columns;                 /* a permutation */
    uint8_t *diagonals, *antidiagonals; /* queens on them: 2 * size - 1 each */
    uint32_t waiting[MOST_WAITING], waiting_number; /* at most one queen of a diagonal does not wait */
    uint64_t restarts;
} LocalSearch;

static void local_search_begin(LocalSearch *self)
{
    memset(self->diagonals, 0, 2 * (size_t)self->size);
    memset(self->antidiagonals, 0, 2 * (size_t)self->size);
    self->row = self->tries = self->waiting_number = 0;
    self->phase = self->size ? PLACING : PLACED;
}

static PyObject *local_search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"size", "seed", NULL};
    Py_ssize_t size;
    PyObject *number;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "nO", names, &size, &number))
        return NULL;
    if (size < 0 || size > LARGEST_SIZE || size == 2 || size == 3)
        return PyErr_Format(PyExc_ValueError, "size: %zd is not 0, 1 or in 4..%d", size, LARGEST_SIZE);
    unsigned long long seed = PyLong_AsUnsignedLongLong(number);
    if (seed == (unsigned long long)-1 && PyErr_Occurred())
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    LocalSearch *self = (LocalSearch *)alloc(type, 0);
    if (!self)
        return NULL;
    const size_t room = (size_t)size + 1; /* never nothing */
    self->columns = malloc(room * sizeof *self->columns);
    self->diagonals = malloc(2 * room);
    self->antidiagonals = malloc(2 * room);
    if (!self->columns || !self->diagonals || !self->antidiagonals) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    self->size = (uint32_t)size;
    self->random = seed;
    for (uint32_t row = 0; row < self->size; row++)
        self->columns[row] = row;
    local_search_begin(self);
    return (PyObject *)self;
}

static void local_search_dealloc(PyObject *object)
{
    LocalSearch *self = (LocalSearch *)object;
    free(self->columns);
    free(self->diagonals);
    free(self->antidiagonals);
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static uint32_t random_below(LocalSearch *self, uint32_t bound)
{
    uint64_t word = self->random += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    word ^= word >> 31;
    return (uint32_t)((word >> 32) * bound >> 32);
}

static uint8_t *diagonal_of(const LocalSearch *self, uint32_t row, uint32_t column)
{
    return self->diagonals + (row + (self->size - 1 - column));
}

static uint8_t *antidiagonal_of(const LocalSearch *self, uint32_t row, uint32_t column)
{
    return self->antidiagonals + (row + column);
}

/* Put a queen on its diagonals; return how many collisions that adds. */
static int put_queen(LocalSearch *self, uint32_t row, uint32_t column)
{
    const int first = (*diagonal_of(self, row, column))++ != 0, second = (*antidiagonal_of(self, row, column))++ != 0;
    return first + second;
}

/* Take a queen off its diagonals; return how many collisions that removes. */
static int take_queen(LocalSearch *self, uint32_t row, uint32_t column)
{
    const int first = --*diagonal_of(self, row, column) != 0, second = --*antidiagonal_of(self, row, column) != 0;
    return first + second;
}

static int is_attacked(const LocalSearch *self, uint32_t row)
{
    return *diagonal_of(self, row, self->columns[row]) > 1 || *antidiagonal_of(self, row, self->columns[row]) > 1;
}

static void exchange(LocalSearch *self, uint32_t row, uint32_t other)
{
    uint32_t column = self->columns[row];
    self->columns[row] = self->columns[other];
    self->columns[other] = column;
}

static void restart(LocalSearch *self)
{
    self->restarts++;
    local_search_begin(self);
}

/* Let the next row try one of the columns left. */
static void place(LocalSearch *self)
{
    const uint32_t row = self->row, other = row + random_below(self, self->size - row), column = self->columns[other];
    const int free = !*diagonal_of(self, row, column) && !*antidiagonal_of(self, row, column);
    if (!free && ++self->tries < PLACING_TRIES)
        return;
    if (!free) {
        if (self->waiting_number == MOST_PLACED_WAITING) {
            restart(self);
            return;
        }
        self->waiting[self->waiting_number++] = row;
    }
    exchange(self, row, other);
    put_queen(self, row, column);
    self->tries = 0;
    if (++self->row == self->size)
        self->phase = self->waiting_number ? REPAIRING : PLACED;
}

/* Let the last of the waiting rows try to exchange its column for another's. */
static void repair(LocalSearch *self)
{
    const uint32_t row = self->waiting[self->waiting_number - 1];
    if (!is_attacked(self, row)) {
        self->tries = 0;
        if (--self->waiting_number == 0)
            self->phase = PLACED;
        return;
    }
    const uint32_t other = random_below(self, self->size);
    const uint32_t column = self->columns[row], its_column = self->columns[other];
    if (other != row) {
        int fewer = take_queen(self, row, column) + take_queen(self, other, its_column);
        fewer -= put_queen(self, row, its_column) + put_queen(self, other, column);
        if (fewer > 0) {
            exchange(self, row, other);
            if (is_attacked(self, other))
                self->waiting[self->waiting_number++] = other;
            self->tries = 0;
            return;
        }
        take_queen(self, row, its_column);
        take_queen(self, other, column);
        put_queen(self, row, column);
        put_queen(self, other, its_column);
    }
    self->tries++;
    if (self->tries == REPAIRING_TRIES || self->tries / 4 == self->size)
        restart(self);
}

static PyObject *local_search_step(PyObject *object, PyObject *argument)
{
    LocalSearch *self = (LocalSearch *)object;
    uint64_t budget;
    if (parse_budget(argument, &budget) < 0 || take(&self->busy) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (; budget && self->phase != PLACED; budget--) {
        if (self->phase == PLACING)
            place(self);
        else
            repair(self);
    }
    Py_END_ALLOW_THREADS
    self->busy = 0;
    return PyBool_FromLong(self->phase == PLACED);
}

static PyObject *local_search_copy(PyObject *object, PyObject *out)
{
    LocalSearch *self = (LocalSearch *)object;
    Py_buffer view;
    if (self->phase != PLACED || self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this search has not placed all queens yet");
        return NULL;
    }
    if (get_buffer(out, &view, sizeof *self->columns, 1, "out") < 0)
        return NULL;
    const size_t bytes = self->size * sizeof *self->columns;
    if ((size_t)view.len != bytes) {
        PyErr_Format(PyExc_ValueError, "out: %zd bytes are not the %zu of %u columns", view.len, bytes, self->size);
        PyBuffer_Release(&view);
        return NULL;
    }
    if (bytes)
        memcpy(view.buf, self->columns, bytes);
    PyBuffer_Release(&view);
    Py_RETURN_NONE;
}

static PyObject *local_search_again(PyObject *object, PyObject *Py_UNUSED(ignored))
{
    LocalSearch *self = (LocalSearch *)object;
    if (take(&self->busy) < 0)
        return NULL;
    local_search_begin(self);
    self->busy = 0;
    Py_RETURN_NONE;
}

static PyObject *local_search_share(PyObject *object, PyObject *Py_UNUSED(ignored))
{
    const LocalSearch *self = (LocalSearch *)object;
    return PyFloat_FromDouble(self->size ? (double)self->row / self->size : 1.0);
}

static PyObject *local_search_restarts(PyObject *object, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(((LocalSearch *)object)->restarts);
}

static PyGetSetDef local_search_getset[] = {
    {"restarts", local_search_restarts, NULL, "How often it was stuck and started again.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef local_search_methods[] = {
    {"step", local_search_step, METH_O, "step(budget): search on for so many tries; return whether all queens are placed."},
    {"copy", local_search_copy, METH_O, "copy(out): write the column of each row, 32 bits each."},
    {"again", local_search_again, METH_NOARGS, "again(): begin the next board."},
    {"share", local_search_share, METH_NOARGS, "The share of the rows that are placed, 0 to 1."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot local_search_slots[] = {
    {Py_tp_doc, "LocalSearch(size, seed): queens placed at random by local search, one board after the other."},
    {Py_tp_new, local_search_new},
    {Py_tp_dealloc, local_search_dealloc},
    {Py_tp_methods, local_search_methods},
    {Py_tp_getset, local_search_getset},
    {0, NULL}};
static PyType_Spec local_search_spec = {"nqueens_cp.core._kernel.LocalSearch", sizeof(LocalSearch), 0, Py_TPFLAGS_DEFAULT,
                                        local_search_slots};

#endif
