/* The compiled search of both forms of the core; pure.py says the same in Python and is the specification.
 *
 * Both searches are objects that hold their whole state, so that they can be run a slice of nodes at a time: the caller polls
 * between two slices. A slice releases the GIL. Sizes and buffers are checked once, when an object is made; after that no index
 * can leave its array. Only the stable ABI of Python 3.11 is used.
 */
#include "_kernel.h"
#include "_rows.h"
#include "_tables.h"

static int take(int *busy)
{
    if (*busy) {
        PyErr_SetString(PyExc_RuntimeError, "this search is running in another thread");
        return -1;
    }
    *busy = 1;
    return 0;
}

/* The methods of both types, which differ in the names of the type and of its level. */
#define METHODS(Type, prefix, level, width, RUN_COUNT, RUN_FILL, SHARE)                                                      \
    static PyObject *prefix##_count(PyObject *object, PyObject *argument)                                                    \
    {                                                                                                                        \
        Type *self = (Type *)object;                                                                                         \
        uint64_t budget;                                                                                                     \
        if (parse_budget(argument, &budget) < 0 || take(&self->busy) < 0)                                                    \
            return NULL;                                                                                                     \
        Py_BEGIN_ALLOW_THREADS                                                                                               \
        RUN_COUNT;                                                                                                           \
        Py_END_ALLOW_THREADS                                                                                                 \
        self->busy = 0;                                                                                                      \
        return PyBool_FromLong(self->level < 0);                                                                             \
    }                                                                                                                        \
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
        written = RUN_FILL;                                                                                                  \
        Py_END_ALLOW_THREADS                                                                                                 \
        self->busy = 0;                                                                                                      \
        PyBuffer_Release(&view);                                                                                             \
        return PyLong_FromSize_t(written);                                                                                   \
    }                                                                                                                        \
    static PyObject *prefix##_share(PyObject *object, PyObject *Py_UNUSED(ignored))                                          \
    {                                                                                                                        \
        Type *self = (Type *)object;                                                                                         \
        return PyFloat_FromDouble(SHARE);                                                                                    \
    }                                                                                                                        \
    static PyObject *prefix##_found(PyObject *object, void *Py_UNUSED(closure))                                              \
    {                                                                                                                        \
        return PyLong_FromUnsignedLongLong(((Type *)object)->found);                                                         \
    }                                                                                                                        \
    static PyObject *prefix##_nodes(PyObject *object, void *Py_UNUSED(closure))                                              \
    {                                                                                                                        \
        return PyLong_FromUnsignedLongLong(((Type *)object)->nodes);                                                         \
    }                                                                                                                        \
    static PyObject *prefix##_done(PyObject *object, void *Py_UNUSED(closure))                                               \
    {                                                                                                                        \
        return PyBool_FromLong(((Type *)object)->level < 0);                                                                 \
    }                                                                                                                        \
    static PyMethodDef prefix##_methods[] = {                                                                                \
        {"count", prefix##_count, METH_O, "count(budget): search on for so many nodes; return whether all is done."},        \
        {"fill", prefix##_fill, METH_VARARGS,                                                                                \
         "fill(out, budget): write solutions, one byte a variable, for so many nodes; return how many."},                    \
        {"share", prefix##_share, METH_NOARGS, "The done share of the search space, 0 to 1."},                               \
        {NULL, NULL, 0, NULL}};                                                                                              \
    static PyGetSetDef prefix##_getset[] = {{"found", prefix##_found, NULL, "Solutions found so far.", NULL},                \
                                            {"nodes", prefix##_nodes, NULL, "Nodes looked at so far.", NULL},                \
                                            {"done", prefix##_done, NULL, "Whether all is done.", NULL},                     \
                                            {NULL, NULL, NULL, NULL, NULL}};

METHODS(RowSearch, row_search, row, rows, row_search_run_count(self, budget),
        row_search_run_fill(self, budget, bytes, capacity), row_search_share_done(self))
METHODS(TableSearch, table_search, depth, variables, table_search_run(self, budget, NULL, 0),
        table_search_run(self, budget, bytes, capacity),
        self->depth < 0 ? 1.0 : done_share(self->entered, self->rest, self->depth))

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
    {Py_tp_doc, "TableSearch(domains, group_starts, entry_variables, entry_masks, exact, pair_starts, pair_variables, pair_masks, "
                "lexicographic): the search of a conflict form."},
    {Py_tp_new, table_search_new},
    {Py_tp_dealloc, table_search_dealloc},
    {Py_tp_methods, table_search_methods},
    {Py_tp_getset, table_search_getset},
    {0, NULL}};
static PyType_Spec table_search_spec = {"nqueens_cp.core._kernel.TableSearch", sizeof(TableSearch), 0, Py_TPFLAGS_DEFAULT,
                                        table_search_slots};

static int module_exec(PyObject *module)
{
    PyType_Spec *specs[] = {&row_search_spec, &table_search_spec};
    const char *names[] = {"RowSearch", "TableSearch"};
    for (int i = 0; i < 2; i++) {
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
                   PyModule_AddIntConstant(module, "WORD", WORD) < 0
               ? -1
               : 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};
static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "_kernel", "The compiled search of the core.", 0, NULL, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModuleDef_Init(&module_definition);
}
