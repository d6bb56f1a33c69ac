/* Solutions as lines of text. */
#ifndef NQUEENS_CP_TEXT_H
#define NQUEENS_CP_TEXT_H

#include "_kernel.h"

#define LONGEST 4 /* bytes of a number of three digits and the separator */

/* The text of every byte with the separator behind it, and its length. */
static void make_texts(char texts[256][LONGEST], uint8_t lengths[256], char separator)
{
    for (int value = 0; value < 256; value++) {
        char *text = texts[value];
        memset(text, separator, LONGEST);
        if (value >= 100)
            *text++ = (char)('0' + value / 100);
        if (value >= 10)
            *text++ = (char)('0' + value / 10 % 10);
        *text++ = (char)('0' + value % 10);
        lengths[value] = (uint8_t)(text - texts[value] + 1);
    }
}

/* Write `number` lines of `columns` numbers; return where they end. LONGEST bytes are there for every number, so that all of a
 * text can be stored whatever its length. */
static char *write_lines(char *out, const uint8_t *batch, Py_ssize_t number, Py_ssize_t columns, char separator)
{
    char texts[256][LONGEST];
    uint8_t lengths[256];
    make_texts(texts, lengths, separator);
    for (; number; number--) {
        for (Py_ssize_t column = 0; column < columns; column++) {
            const uint8_t value = *batch++; /* read once: another thread may write there */
            memcpy(out, texts[value], LONGEST);
            out += lengths[value];
        }
        out[-1] = '\n';
    }
    return out;
}

static PyObject *format_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *batch, *separator;
    Py_ssize_t columns;
    if (!PyArg_ParseTuple(args, "OnS", &batch, &columns, &separator))
        return NULL;
    if (columns < 1)
        return PyErr_Format(PyExc_ValueError, "columns: %zd is not at least 1", columns);
    if (PyBytes_Size(separator) != 1)
        return PyErr_Format(PyExc_ValueError, "separator: expected one byte, got %zd", PyBytes_Size(separator));
    Py_buffer view;
    if (get_buffer(batch, &view, columns, 0, "batch") < 0)
        return NULL;
    if (view.len > PY_SSIZE_T_MAX / LONGEST) {
        PyBuffer_Release(&view);
        return PyErr_NoMemory();
    }
    const char byte = *PyBytes_AsString(separator);
    char *text = malloc((size_t)view.len * LONGEST + 1), *end = text;
    if (text) {
        Py_BEGIN_ALLOW_THREADS
        end = write_lines(text, view.buf, view.len / columns, columns, byte);
        Py_END_ALLOW_THREADS
    }
    PyObject *lines = text ? PyBytes_FromStringAndSize(text, end - text) : PyErr_NoMemory();
    free(text);
    PyBuffer_Release(&view);
    return lines;
}

#endif
