/* What the searches of the kernel use. */
#ifndef NQUEENS_CP_KERNEL_H
#define NQUEENS_CP_KERNEL_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORD 64                /* columns of a board, values of a domain */
#define SHARE_LEVELS 3         /* the done share of the search space is read off the first choices */

static int popcount(uint64_t mask)
{
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
    mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(mask * UINT64_C(0x0101010101010101) >> 56);
}

static int lowest(uint64_t bit) /* the position of the lowest bit; bit is not 0 */
{
    return __builtin_ctzll(bit);
}

static uint64_t full_mask(int width)
{
    return width == WORD ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

/* The share of the search space that is done: from the choices of the first levels and those left of them. */
static double done_share(const uint64_t *entered, const uint64_t *rest, int depth)
{
    double share = 0.0, width = 1.0;
    for (int level = 0; level <= depth && level < SHARE_LEVELS; level++) {
        int choices = popcount(entered[level]);
        if (!choices)
            break;
        int done = choices - popcount(rest[level]) - (level < depth); /* a higher level is still inside its last choice */
        share += width * (done > 0 ? done : 0) / choices;
        width /= choices;
    }
    return share;
}

/* Mark an object as running, so that no other thread runs it. */
static int take(int *busy)
{
    if (*busy) {
        PyErr_SetString(PyExc_RuntimeError, "this search is running in another thread");
        return -1;
    }
    *busy = 1;
    return 0;
}

/* A buffer of items of one size, read-only unless writable. */
static int get_buffer(PyObject *object, Py_buffer *view, Py_ssize_t item, int writable, const char *what)
{
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return -1;
    if (view->len % item) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes are no whole number of items of %zd bytes", what, view->len, item);
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

static int parse_budget(PyObject *object, uint64_t *budget)
{
    unsigned long long value = PyLong_AsUnsignedLongLong(object);
    if (value == (unsigned long long)-1 && PyErr_Occurred())
        return -1;
    if (value == 0) {
        PyErr_SetString(PyExc_ValueError, "a slice has at least one node");
        return -1;
    }
    *budget = value;
    return 0;
}

#endif
