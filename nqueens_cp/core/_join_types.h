/* The types of Python for counting by joining half boards. */
#ifndef NQUEENS_CP_JOIN_TYPES_H
#define NQUEENS_CP_JOIN_TYPES_H

#include "_join_search.h"
#include "_kernel.h"

typedef struct {
    PyObject_HEAD
    int busy, ready;
    Board board;
} JoinBoard;

typedef struct {
    PyObject_HEAD
    int busy;
    JoinBoard *owner; /* of join.board */
    Join join;
} JoinSearch;

static PyObject *join_board_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"allowed", "symmetry", NULL};
    PyObject *masks;
    int symmetry;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oi", names, &masks, &symmetry))
        return NULL;
    if (symmetry < 0 || symmetry > 2)
        return PyErr_Format(PyExc_ValueError, "symmetry: %d is not in 0..2", symmetry);
    Py_buffer view;
    if (get_buffer(masks, &view, 8, 0, "allowed") < 0)
        return NULL;
    const Py_ssize_t n = view.len / 8;
    if (n < JOIN_LEAST || n > JOIN_MOST) {
        PyBuffer_Release(&view);
        return PyErr_Format(PyExc_ValueError, "allowed: %zd rows are not in %d..%d", n, JOIN_LEAST, JOIN_MOST);
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    JoinBoard *self = (JoinBoard *)alloc(type, 0);
    if (self) {
        uint64_t allowed[JOIN_MOST];
        memcpy(allowed, view.buf, (size_t)view.len);
        for (int row = 0; row < n; row++)
            self->board.allowed[row] = (uint32_t)allowed[row] & lowest_bits((int)n);
        self->board.n = (int)n;
        self->board.symmetry = symmetry;
        board_lay_out(&self->board);
    }
    PyBuffer_Release(&view);
    return (PyObject *)self;
}

static PyObject *join_board_step(PyObject *object, PyObject *Py_UNUSED(ignored))
{
    JoinBoard *self = (JoinBoard *)object;
    int made;
    if (take(&self->busy) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    made = board_step(&self->board);
    Py_END_ALLOW_THREADS
    self->busy = 0;
    if (made < 0)
        return PyErr_NoMemory();
    self->ready = made;
    return PyBool_FromLong(made);
}

static PyObject *join_board_sets(PyObject *object, void *Py_UNUSED(closure))
{
    return PyLong_FromSize_t(((JoinBoard *)object)->board.set_number);
}

static void join_board_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    board_release(&((JoinBoard *)object)->board);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef join_board_methods[] = {
    {"step", join_board_step, METH_NOARGS, "Make the next of the board's tables; return whether all are made."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef join_board_getset[] = {
    {"sets", join_board_sets, NULL, "How many column sets there are to count over, once all tables are made.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot join_board_slots[] = {
    {Py_tp_doc, "JoinBoard(allowed, symmetry): the tables of a square board; symmetry: 0 none, 1 mirror, 2 turning over too."},
    {Py_tp_new, join_board_new},
    {Py_tp_dealloc, join_board_dealloc},
    {Py_tp_methods, join_board_methods},
    {Py_tp_getset, join_board_getset},
    {0, NULL}};
static PyType_Spec join_board_spec = {"nqueens_cp.core._kernel.JoinBoard", sizeof(JoinBoard), 0, Py_TPFLAGS_DEFAULT,
                                      join_board_slots};

/* The names of the widths of vectors that this machine has, the widest first. */
static PyObject *vector_names(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(ignored))
{
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names && i < VECTOR_WIDTHS; i++)
        if (all_vectors[i].is_there()) {
            PyObject *name = PyUnicode_FromString(all_vectors[i].name);
            if (!name || PyList_Append(names, name) < 0)
                Py_CLEAR(names);
            Py_XDECREF(name);
        }
    return names;
}

static const Vectors *vectors_named(const char *name)
{
    for (size_t i = 0; i < VECTOR_WIDTHS; i++)
        if (!strcmp(all_vectors[i].name, name) && all_vectors[i].is_there())
            return &all_vectors[i];
    PyErr_Format(PyExc_ValueError, "vectors: '%s' is not among what this machine has", name);
    return NULL;
}

static PyObject *join_search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"board", "first", "last", "vectors", NULL};
    PyObject *board;
    Py_ssize_t first, last;
    const char *name;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Onns", names, &board, &first, &last, &name))
        return NULL;
    PyObject *module = PyType_GetModule(type), *board_type = module ? PyObject_GetAttrString(module, "JoinBoard") : NULL;
    if (!board_type)
        return NULL;
    const int right = Py_IS_TYPE(board, (PyTypeObject *)board_type);
    Py_DECREF(board_type);
    if (!right) {
        PyErr_SetString(PyExc_TypeError, "board: expected a JoinBoard");
        return NULL;
    }
    JoinBoard *owner = (JoinBoard *)board;
    if (!owner->ready) {
        PyErr_SetString(PyExc_ValueError, "board: its tables are not made yet");
        return NULL;
    }
    if (first < 0 || last < first || (size_t)last > owner->board.set_number)
        return PyErr_Format(PyExc_ValueError, "first, last: %zd..%zd is no range of the %zu column sets", first, last,
                            owner->board.set_number);
    const Vectors *vectors = vectors_named(name);
    if (!vectors)
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    JoinSearch *self = (JoinSearch *)alloc(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(board);
    self->owner = owner;
    if (join_start(&self->join, &owner->board, vectors, (size_t)first, (size_t)last) < 0) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void join_search_dealloc(PyObject *object)
{
    JoinSearch *self = (JoinSearch *)object;
    PyTypeObject *type = Py_TYPE(object);
    join_release(&self->join);
    Py_XDECREF((PyObject *)self->owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

#endif
