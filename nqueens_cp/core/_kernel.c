/* The compiled search of both forms of the core, of which pure.py is the specification, counting by joining half boards,
 * local search on large boards, and solutions as text.
 *
 * The searches are objects that hold their whole state, so that they can be run a slice of nodes at a time: the caller polls
 * between two slices. A slice releases the GIL. Sizes and buffers are checked once, when an object is made; after that no index
 * can leave its array. Only the stable ABI of Python 3.11 is used.
 */
#include "_kernel.h"
#include "_rows.h"
#include "_rows_list.h"
#include "_tables_make.h"
#include "_join_types.h"
#include "_local_search.h"
#include "_text.h"

/* The methods and attributes of every search; `RUN` counts on for `budget` nodes and is -1 if there is no memory. */
#define SEARCH(Type, prefix, DONE, RUN, FOUND, NODES, SHARE)                                                                 \
    static PyObject *prefix##_count(PyObject *object, PyObject *argument)                                                    \
    {                                                                                                                        \
        Type *self = (Type *)object;                                                                                         \
        uint64_t budget;                                                                                                     \
        int failed;                                                                                                          \
        if (parse_budget(argument, &budget) < 0 || take(&self->busy) < 0)                                                    \
            return NULL;                                                                                                     \
        Py_BEGIN_ALLOW_THREADS                                                                                               \
        failed = RUN;                                                                                                        \
        Py_END_ALLOW_THREADS                                                                                                 \
        self->busy = 0;                                                                                                      \
        return failed < 0 ? PyErr_NoMemory() : PyBool_FromLong(DONE);                                                        \
    }                                                                                                                        \
    static PyObject *prefix##_share(PyObject *object, PyObject *Py_UNUSED(ignored))                                          \
    {                                                                                                                        \
        Type *self = (Type *)object;                                                                                         \
        return PyFloat_FromDouble(SHARE);                                                                                    \
    }                                                                                                                        \
    static PyObject *prefix##_found(PyObject *object, void *Py_UNUSED(closure))                                              \
    {                                                                                                                        \
        return PyLong_FromUnsignedLongLong(((Type *)object)->FOUND);                                                         \
    }                                                                                                                        \
    static PyObject *prefix##_nodes(PyObject *object, void *Py_UNUSED(closure))                                              \
    {                                                                                                                        \
        return PyLong_FromUnsignedLongLong(((Type *)object)->NODES);                                                         \
    }                                                                                                                        \
    static PyObject *prefix##_done(PyObject *object, void *Py_UNUSED(closure))                                               \
    {                                                                                                                        \
        Type *self = (Type *)object;                                                                                         \
        return PyBool_FromLong(DONE);                                                                                        \
    }                                                                                                                        \
    static PyGetSetDef prefix##_getset[] = {{"found", prefix##_found, NULL, "Solutions found so far.", NULL},                \
                                            {"nodes", prefix##_nodes, NULL, "Nodes looked at so far.", NULL},                \
                                            {"done", prefix##_done, NULL, "Whether all is done.", NULL},                     \
                                            {NULL, NULL, NULL, NULL, NULL}};
#define SEARCH_METHODS(prefix)                                                                                               \
    {"count", prefix##_count, METH_O, "count(budget): search on for so many nodes; return whether all is done."},            \
        {"share", prefix##_share, METH_NOARGS, "The done share of the search space, 0 to 1."}

/* The method of the searches that list solutions, of `width` bytes. */
#define FILL(Type, prefix, width, RUN)                                                                                       \
    static PyObject *prefix##_fill(PyObject *object, PyObject *args)                                                         \
    {                                                                                                                        \
        Type *self = (Type *)object;                                                                                         \
        PyObject *out, *number;                                                                                              \
        uint64_t budget;                                                                                                     \
        Py_buffer view;                                                                                                      \
        if (!PyArg_ParseTuple(args, "OO", &out, &number) || parse_budget(number, &budget) < 0 ||                             \
            get_buffer(out, &view, 1, 1, "out") < 0)                                                                         \
            return NULL;                                                                                                     \
        if (view.len < self->width) {                                                                                        \
            PyErr_Format(PyExc_ValueError, "out: %zd bytes hold no solution of %d bytes", view.len, self->width);            \
            PyBuffer_Release(&view);                                                                                         \
            return NULL;                                                                                                     \
        }                                                                                                                    \
        if (take(&self->busy) < 0) {                                                                                         \
            PyBuffer_Release(&view);                                                                                         \
            return NULL;                                                                                                     \
        }                                                                                                                    \
        size_t written, capacity = (size_t)view.len / (size_t)self->width;                                                   \
        uint8_t *bytes = view.buf;                                                                                           \
        Py_BEGIN_ALLOW_THREADS                                                                                               \
        written = RUN;                                                                                                       \
        Py_END_ALLOW_THREADS                                                                                                 \
        self->busy = 0;                                                                                                      \
        PyBuffer_Release(&view);                                                                                             \
        return PyLong_FromSize_t(written);                                                                                   \
    }                                                                                                                        \
    static PyMethodDef prefix##_methods[] = {                                                                                \
        SEARCH_METHODS(prefix),                                                                                              \
        {"fill", prefix##_fill, METH_VARARGS,                                                                                \
         "fill(out, budget): write solutions, one byte a variable, for so many nodes; return how many."},                    \
        {NULL, NULL, 0, NULL}};

SEARCH(RowSearch, row_search, self->row < 0, (row_search_run_count(self, budget), 0), found, nodes,
       row_search_share_done(self))
FILL(RowSearch, row_search, rows, row_search_run_fill(self, budget, bytes, capacity))
SEARCH(TableSearch, table_search, self->depth < 0, (table_search_run(self, budget, NULL, 0), 0), found, nodes,
       self->depth < 0 ? 1.0 : done_share(self->entered, self->rest, self->depth))
FILL(TableSearch, table_search, variables, table_search_run(self, budget, bytes, capacity))
SEARCH(JoinSearch, join_search, join_done(&self->join), join_run(&self->join, budget), join.found, join.nodes,
       join_share_done(&self->join))
static PyMethodDef join_search_methods[] = {SEARCH_METHODS(join_search), {NULL, NULL, 0, NULL}};

static PyType_Slot row_search_slots[] = {
    {Py_tp_doc, "RowSearch(allowed, width, columns, diagonals, antidiagonals): the search of a diagonal form."},
    {Py_tp_new, row_search_new},
    {Py_tp_dealloc, row_search_dealloc},
    {Py_tp_methods, row_search_methods},
    {Py_tp_getset, row_search_getset},
    {0, NULL}};
static PyType_Spec row_search_spec = {"nqueens_cp.core._kernel.RowSearch", sizeof(RowSearch), 0, Py_TPFLAGS_DEFAULT,
                                      row_search_slots};

static PyType_Slot table_search_slots[] = {
    {Py_tp_doc, "TableSearch(sizes, group_starts, entry_variables, entry_masks, exact, pair_variables, pair_others, pair_masks, "
                "lexicographic): the search of a conflict form."},
    {Py_tp_new, table_search_new},
    {Py_tp_dealloc, table_search_dealloc},
    {Py_tp_methods, table_search_methods},
    {Py_tp_getset, table_search_getset},
    {0, NULL}};
static PyType_Spec table_search_spec = {"nqueens_cp.core._kernel.TableSearch", sizeof(TableSearch), 0, Py_TPFLAGS_DEFAULT,
                                        table_search_slots};

static PyType_Slot join_search_slots[] = {
    {Py_tp_doc, "JoinSearch(board, first, last, vectors): the count over a range of a board's column sets."},
    {Py_tp_new, join_search_new},
    {Py_tp_dealloc, join_search_dealloc},
    {Py_tp_methods, join_search_methods},
    {Py_tp_getset, join_search_getset},
    {0, NULL}};
static PyType_Spec join_search_spec = {"nqueens_cp.core._kernel.JoinSearch", sizeof(JoinSearch), 0, Py_TPFLAGS_DEFAULT,
                                       join_search_slots};

static int module_exec(PyObject *module)
{
    PyType_Spec *specs[] = {&row_search_spec, &table_search_spec, &join_board_spec, &join_search_spec, &local_search_spec};
    const char *names[] = {"RowSearch", "TableSearch", "JoinBoard", "JoinSearch", "LocalSearch"};
    for (int i = 0; i < 5; i++) {
        PyObject *type = PyType_FromModuleAndSpec(module, specs[i], NULL);
        if (!type)
            return -1;
        int failed = PyModule_AddObjectRef(module, names[i], type);
        Py_DECREF(type);
        if (failed < 0)
            return -1;
    }
    return PyModule_AddIntConstant(module, "MAX_ROWS", MAX_ROWS) < 0 ||
                   PyModule_AddIntConstant(module, "MAX_VARIABLES", MAX_VARIABLES) < 0 ||
                   PyModule_AddIntConstant(module, "WORD", WORD) < 0 ||
                   PyModule_AddIntConstant(module, "LARGEST_SIZE", LARGEST_SIZE) < 0 ||
                   PyModule_AddIntConstant(module, "JOIN_LEAST", JOIN_LEAST) < 0 ||
                   PyModule_AddIntConstant(module, "JOIN_MOST", JOIN_MOST) < 0
               ? -1
               : 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};
static PyMethodDef module_methods[] = {
    {"vectors", vector_names, METH_NOARGS, "The widths of vectors that this machine has, the widest first."},
    {"format_lines", format_lines, METH_VARARGS,
     "format_lines(batch, columns, separator): rows of so many bytes as lines of decimal numbers, one byte between them."},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_kernel", "The compiled search of the core.", 0, module_methods, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModuleDef_Init(&module_definition);
}
