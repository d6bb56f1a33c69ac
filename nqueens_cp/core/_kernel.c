/* The compiled search of both forms of the core; pure.py says the same in Python and is the specification.
 *
 * Both searches are objects that hold their whole state, so that they can be run a slice of nodes at a time: the caller polls
 * between two slices. A slice releases the GIL. Sizes and buffers are checked once, when an object is made; after that no index
 * can leave its array. Only the stable ABI of Python 3.11 is used.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define WORD 64                /* columns of a board, values of a domain */
#define MAX_ROWS 64
#define MAX_VARIABLES 1024
#define MAX_ENTRIES (1u << 26)
#define RECURSIVE_COLUMNS 9    /* at most so many columns are left where counting goes on by recursion */
#define RECURSIVE_FILL_COLUMNS 7
#define MOST_BELOW 5040        /* solutions with 7 columns left: at most 7! */
#define MAX_MERGED (1u << 22)  /* exclusions that are merged into one list */
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

/* ------------------------------------------------------------------------------------------------ the diagonal form */

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

/* ------------------------------------------------------------------------------------------------ the conflict form */

typedef struct {
    PyObject_HEAD
    int variables;
    int lexicographic;
    int depth; /* the level whose values are being tried; -1 when all is done */
    int busy;
    int root_is_solution; /* the first propagation alone has left one value for each variable */
    uint32_t groups;
    /* A group says: at most one of its entries (variable, mask) holds; exactly one if `exact`. */
    uint32_t *group_starts, *entry_variables, *member_starts, *member_groups, *pair_starts, *pair_variables;
    uint64_t *entry_masks, *pair_masks;
    uint8_t *exact;
    /* A level for each decision: domains, which single values have been propagated, the variable and its values. */
    uint64_t *domains; /* [level][variable] */
    uint8_t *settled;  /* [level][variable] */
    uint64_t *entered, *rest;
    int *chosen;
    int *waiting; /* variables with a single value that was not propagated yet */
    uint64_t found, nodes;
} TableSearch;

static int is_single(uint64_t mask)
{
    return mask && !(mask & (mask - 1));
}

/* Take `mask` off a domain; return 0 if nothing is left. */
static int narrow(TableSearch *self, uint64_t *domains, const uint8_t *settled, int variable, uint64_t mask, int *waiting)
{
    uint64_t left = domains[variable] & ~mask;
    if (left == domains[variable])
        return 1;
    if (!left)
        return 0;
    domains[variable] = left;
    if (is_single(left) && !settled[variable])
        self->waiting[(*waiting)++] = variable;
    return 1;
}

/* Propagate the variables that wait until nothing changes; return 0 at a contradiction. */
static int propagate(TableSearch *self, uint64_t *domains, uint8_t *settled, int waiting)
{
    for (;;) {
        while (waiting) {
            int variable = self->waiting[--waiting];
            if (settled[variable])
                continue;
            settled[variable] = 1;
            size_t place = (size_t)variable * WORD + (size_t)lowest(domains[variable]);
            for (uint32_t m = self->member_starts[place]; m < self->member_starts[place + 1]; m++) {
                uint32_t group = self->member_groups[m];
                for (uint32_t e = self->group_starts[group]; e < self->group_starts[group + 1]; e++) {
                    int other = (int)self->entry_variables[e];
                    if (other != variable && !narrow(self, domains, settled, other, self->entry_masks[e], &waiting))
                        return 0;
                }
            }
            for (uint32_t p = self->pair_starts[place]; p < self->pair_starts[place + 1]; p++)
                if (domains[self->pair_variables[p]] & self->pair_masks[p] &&
                    !narrow(self, domains, settled, (int)self->pair_variables[p], self->pair_masks[p], &waiting))
                    return 0;
        }
        int changed = 0;
        for (uint32_t group = 0; group < self->groups; group++) {
            if (!self->exact[group])
                continue;
            int able = 0;
            uint32_t only = 0;
            for (uint32_t e = self->group_starts[group]; e < self->group_starts[group + 1] && able < 2; e++)
                if (domains[self->entry_variables[e]] & self->entry_masks[e]) {
                    able++;
                    only = e;
                }
            if (!able)
                return 0;
            if (able == 1 && domains[self->entry_variables[only]] & ~self->entry_masks[only]) {
                if (!narrow(self, domains, settled, (int)self->entry_variables[only], ~self->entry_masks[only], &waiting))
                    return 0;
                changed = 1;
            }
        }
        if (!changed)
            return 1;
    }
}

/* Choose the next variable; return how many have more than one value, at most 2. */
static int choose(const TableSearch *self, const uint64_t *domains, int *variable)
{
    int open = 0, fewest = WORD + 1;
    for (int v = 0; v < self->variables; v++) {
        if (is_single(domains[v]))
            continue;
        if (open < 2)
            open++;
        if (self->lexicographic) {
            if (open == 1)
                *variable = v;
            else
                break;
        } else {
            int size = popcount(domains[v]);
            if (size < fewest) {
                fewest = size;
                *variable = v;
            }
        }
    }
    return open;
}

static void write_solution(const TableSearch *self, const uint64_t *domains, uint8_t *out)
{
    for (int v = 0; v < self->variables; v++)
        out[v] = (uint8_t)lowest(domains[v]);
}

/* Search for at most `budget` nodes. With `out`, write at most `capacity` solutions of one byte a variable (the position of its
 * value) and return how many; without, count. */
static size_t table_search_run(TableSearch *self, uint64_t budget, uint8_t *out, size_t capacity)
{
    const size_t variables = (size_t)self->variables;
    size_t written = 0;
    uint64_t nodes = 0;
    if (self->root_is_solution && (!out || capacity)) {
        self->root_is_solution = 0;
        if (out)
            write_solution(self, self->domains, out);
        written = 1;
        self->found++;
        self->depth = -1;
    }
    while (self->depth >= 0 && nodes < budget && (!out || written < capacity)) {
        const int depth = self->depth;
        if (!self->rest[depth]) {
            self->depth--;
            continue;
        }
        nodes++;
        uint64_t bit = self->rest[depth] & -self->rest[depth];
        self->rest[depth] ^= bit;
        uint64_t *domains = self->domains + (size_t)(depth + 1) * variables;
        uint8_t *settled = self->settled + (size_t)(depth + 1) * variables;
        memcpy(domains, domains - variables, variables * sizeof *domains);
        memcpy(settled, settled - variables, variables);
        domains[self->chosen[depth]] = bit;
        self->waiting[0] = self->chosen[depth];
        if (!propagate(self, domains, settled, 1))
            continue;
        int next = 0;
        int open = choose(self, domains, &next);
        if (open == 0) {
            if (out)
                write_solution(self, domains, out + written * variables);
            written++;
            self->found++;
        } else if (open == 1 && !out) {
            self->found += (uint64_t)popcount(domains[next]);
        } else {
            self->depth++;
            self->chosen[depth + 1] = next;
            self->entered[depth + 1] = self->rest[depth + 1] = domains[next];
        }
    }
    self->nodes += nodes;
    return written;
}

static void table_search_free_arrays(TableSearch *self)
{
    PyMem_Free(self->group_starts);
    PyMem_Free(self->entry_variables);
    PyMem_Free(self->entry_masks);
    PyMem_Free(self->exact);
    PyMem_Free(self->member_starts);
    PyMem_Free(self->member_groups);
    PyMem_Free(self->pair_starts);
    PyMem_Free(self->pair_variables);
    PyMem_Free(self->pair_masks);
    PyMem_Free(self->domains);
    PyMem_Free(self->settled);
    PyMem_Free(self->entered);
    PyMem_Free(self->rest);
    PyMem_Free(self->chosen);
    PyMem_Free(self->waiting);
}

static void *copied(const Py_buffer *view)
{
    void *copy = PyMem_Calloc(1, view->len ? (size_t)view->len : 1);
    if (copy && view->len)
        memcpy(copy, view->buf, (size_t)view->len);
    return copy;
}

/* Check that `starts` begins with 0, never falls and ends with `end`. */
static int check_starts(const uint32_t *starts, size_t count, size_t end, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (starts[i] > (i + 1 < count ? starts[i + 1] : end)) {
            PyErr_Format(PyExc_ValueError, "%s: item %zu is %u, which is out of order", what, i, (unsigned)starts[i]);
            return -1;
        }
    if (starts[0] != 0 || starts[count - 1] != end) {
        PyErr_Format(PyExc_ValueError, "%s: must begin with 0 and end with %zu", what, end);
        return -1;
    }
    return 0;
}

static int check_variables(const uint32_t *indices, size_t count, uint32_t variables, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= variables) {
            PyErr_Format(PyExc_ValueError, "%s: item %zu is %u, and there are %u variables", what, i, (unsigned)indices[i],
                         (unsigned)variables);
            return -1;
        }
    return 0;
}

/* List for each (variable, value) the groups that it is in. */
static int index_members(TableSearch *self, size_t entries)
{
    const size_t places = (size_t)self->variables * WORD;
    self->member_starts = PyMem_Calloc(places + 1, sizeof *self->member_starts);
    if (!self->member_starts)
        return -1;
    size_t total = 0;
    for (size_t e = 0; e < entries; e++)
        for (uint64_t mask = self->entry_masks[e]; mask; mask &= mask - 1) {
            self->member_starts[(size_t)self->entry_variables[e] * WORD + (size_t)lowest(mask) + 1]++;
            total++;
        }
    for (size_t place = 0; place < places; place++)
        self->member_starts[place + 1] += self->member_starts[place];
    self->member_groups = PyMem_Calloc(total ? total : 1, sizeof *self->member_groups);
    uint32_t *filled = PyMem_Calloc(places, sizeof *filled);
    if (!self->member_groups || !filled) {
        PyMem_Free(filled);
        return -1;
    }
    for (uint32_t group = 0; group < self->groups; group++)
        for (uint32_t e = self->group_starts[group]; e < self->group_starts[group + 1]; e++)
            for (uint64_t mask = self->entry_masks[e]; mask; mask &= mask - 1) {
                size_t place = (size_t)self->entry_variables[e] * WORD + (size_t)lowest(mask);
                self->member_groups[self->member_starts[place] + filled[place]++] = group;
            }
    PyMem_Free(filled);
    return 0;
}

/* Collect what the value at `place` excludes, by groups and by pairs, in masks[variable]; return how many variables. */
static size_t collect_excluded(const TableSearch *self, size_t place, uint64_t *masks, uint32_t *touched)
{
    const uint32_t variable = (uint32_t)(place / WORD);
    size_t count = 0;
    for (uint32_t m = self->member_starts[place]; m < self->member_starts[place + 1]; m++) {
        uint32_t group = self->member_groups[m];
        for (uint32_t e = self->group_starts[group]; e < self->group_starts[group + 1]; e++) {
            uint32_t other = self->entry_variables[e];
            if (other == variable || !self->entry_masks[e])
                continue;
            if (!masks[other])
                touched[count++] = other;
            masks[other] |= self->entry_masks[e];
        }
    }
    for (uint32_t p = self->pair_starts[place]; p < self->pair_starts[place + 1]; p++) {
        uint32_t other = self->pair_variables[p];
        if (!self->pair_masks[p])
            continue;
        if (!masks[other])
            touched[count++] = other;
        masks[other] |= self->pair_masks[p];
    }
    return count;
}

/* Merge groups and pairs into one list of exclusions for each (variable, value), one mask for each other variable, where that
 * is not too large; groups then only say what is exact. */
static int merge(TableSearch *self)
{
    const size_t variables = (size_t)self->variables, places = variables * WORD;
    uint64_t *masks = PyMem_Calloc(variables, sizeof *masks);
    uint32_t *touched = PyMem_Calloc(variables, sizeof *touched);
    uint32_t *starts = PyMem_Calloc(places + 1, sizeof *starts), *others = NULL;
    uint64_t *excluded = NULL;
    int result = -1;
    if (!masks || !touched || !starts)
        goto end;
    size_t total = 0;
    for (int filling = 0; filling < 2; filling++) {
        total = 0;
        for (size_t place = 0; place < places; place++) {
            size_t count = collect_excluded(self, place, masks, touched);
            starts[place] = (uint32_t)total;
            for (size_t i = 0; i < count; i++) {
                if (filling) {
                    others[total + i] = touched[i];
                    excluded[total + i] = masks[touched[i]];
                }
                masks[touched[i]] = 0;
            }
            total += count;
            if (total > MAX_MERGED) {
                result = 0;
                goto end;
            }
        }
        starts[places] = (uint32_t)total;
        if (!filling) {
            others = PyMem_Calloc(total ? total : 1, sizeof *others);
            excluded = PyMem_Calloc(total ? total : 1, sizeof *excluded);
            if (!others || !excluded)
                goto end;
        }
    }
    PyMem_Free(self->pair_starts);
    PyMem_Free(self->pair_variables);
    PyMem_Free(self->pair_masks);
    self->pair_starts = starts;
    self->pair_variables = others;
    self->pair_masks = excluded;
    starts = others = NULL;
    excluded = NULL;
    memset(self->member_starts, 0, (places + 1) * sizeof *self->member_starts);
    result = 0;
end:
    PyMem_Free(masks);
    PyMem_Free(touched);
    PyMem_Free(starts);
    PyMem_Free(others);
    PyMem_Free(excluded);
    return result;
}

/* Make the levels and propagate what holds before any decision. */
static int begin(TableSearch *self, const uint64_t *domains)
{
    const size_t variables = (size_t)self->variables, levels = variables + 1;
    self->domains = PyMem_Calloc(levels * variables, sizeof *self->domains);
    self->settled = PyMem_Calloc(levels * variables, 1);
    self->entered = PyMem_Calloc(levels, sizeof *self->entered);
    self->rest = PyMem_Calloc(levels, sizeof *self->rest);
    self->chosen = PyMem_Calloc(levels, sizeof *self->chosen);
    self->waiting = PyMem_Calloc(levels, sizeof *self->waiting);
    if (!self->domains || !self->settled || !self->entered || !self->rest || !self->chosen || !self->waiting)
        return -1;
    memcpy(self->domains, domains, variables * sizeof *domains);
    int waiting = 0, possible = 1;
    for (int v = 0; v < self->variables; v++) {
        if (!domains[v])
            possible = 0;
        if (is_single(domains[v]))
            self->waiting[waiting++] = v;
    }
    if (!possible || !propagate(self, self->domains, self->settled, waiting)) {
        self->depth = -1;
        return 0;
    }
    int next = 0;
    if (choose(self, self->domains, &next) == 0) {
        self->root_is_solution = 1;
        self->entered[0] = self->rest[0] = 0;
    } else {
        self->chosen[0] = next;
        self->entered[0] = self->rest[0] = self->domains[next];
    }
    return 0;
}

enum { DOMAINS, GROUP_STARTS, ENTRY_VARIABLES, ENTRY_MASKS, EXACT, PAIR_STARTS, PAIR_VARIABLES, PAIR_MASKS, BUFFERS };

static int table_search_set(TableSearch *self, const Py_buffer *view)
{
    const size_t variables = (size_t)view[DOMAINS].len / 8, entries = (size_t)view[ENTRY_MASKS].len / 8;
    const size_t pairs = (size_t)view[PAIR_MASKS].len / 8, starts = (size_t)view[GROUP_STARTS].len / 4;
    if (variables < 1 || variables > MAX_VARIABLES) {
        PyErr_Format(PyExc_ValueError, "domains: %zu variables are not in 1..%d", variables, MAX_VARIABLES);
        return -1;
    }
    if (entries > MAX_ENTRIES / WORD || pairs > MAX_ENTRIES) {
        PyErr_SetString(PyExc_ValueError, "the table of conflicts is too large");
        return -1;
    }
    if ((size_t)view[ENTRY_VARIABLES].len / 4 != entries || (size_t)view[PAIR_VARIABLES].len / 4 != pairs || starts < 1 ||
        (size_t)view[EXACT].len != starts - 1 || (size_t)view[PAIR_STARTS].len / 4 != variables * WORD + 1) {
        PyErr_SetString(PyExc_ValueError, "the lengths of the buffers do not fit together");
        return -1;
    }
    self->variables = (int)variables;
    self->groups = (uint32_t)(starts - 1);
    if (!(self->group_starts = copied(&view[GROUP_STARTS])) || !(self->entry_variables = copied(&view[ENTRY_VARIABLES])) ||
        !(self->entry_masks = copied(&view[ENTRY_MASKS])) || !(self->exact = copied(&view[EXACT])) ||
        !(self->pair_starts = copied(&view[PAIR_STARTS])) || !(self->pair_variables = copied(&view[PAIR_VARIABLES])) ||
        !(self->pair_masks = copied(&view[PAIR_MASKS]))) {
        PyErr_NoMemory();
        return -1;
    }
    if (check_starts(self->group_starts, starts, entries, "group_starts") < 0 ||
        check_starts(self->pair_starts, variables * WORD + 1, pairs, "pair_starts") < 0 ||
        check_variables(self->entry_variables, entries, (uint32_t)variables, "entry_variables") < 0 ||
        check_variables(self->pair_variables, pairs, (uint32_t)variables, "pair_variables") < 0)
        return -1;
    uint64_t *domains = copied(&view[DOMAINS]);
    if (!domains || index_members(self, entries) < 0 || merge(self) < 0 || begin(self, domains) < 0) {
        PyMem_Free(domains);
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(domains);
    return 0;
}

static PyObject *table_search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"domains", "group_starts", "entry_variables", "entry_masks", "exact",
                            "pair_starts", "pair_variables", "pair_masks", "lexicographic", NULL};
    static const int sizes[BUFFERS] = {8, 4, 4, 8, 1, 4, 4, 8};
    PyObject *objects[BUFFERS];
    int lexicographic;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOOOp", names, &objects[0], &objects[1], &objects[2], &objects[3],
                                     &objects[4], &objects[5], &objects[6], &objects[7], &lexicographic))
        return NULL;
    Py_buffer view[BUFFERS];
    int opened = 0;
    TableSearch *self = NULL;
    while (opened < BUFFERS && get_buffer(objects[opened], &view[opened], sizes[opened], 0, names[opened]) == 0)
        opened++;
    if (opened == BUFFERS) {
        allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
        self = (TableSearch *)alloc(type, 0);
        if (self) {
            self->lexicographic = lexicographic;
            if (table_search_set(self, view) < 0) {
                Py_DECREF(self);
                self = NULL;
            }
        }
    }
    while (opened)
        PyBuffer_Release(&view[--opened]);
    return (PyObject *)self;
}

static void table_search_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    table_search_free_arrays((TableSearch *)object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static void row_search_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

/* ------------------------------------------------------------------------------------------------- what Python sees */

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
#define METHODS(Type, prefix, level, width, RUN_COUNT, RUN_FILL)                                                             \
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
        return PyFloat_FromDouble(self->level < 0 ? 1.0 : done_share(self->entered, self->rest, self->level));               \
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
        row_search_run_fill(self, budget, bytes, capacity))
METHODS(TableSearch, table_search, depth, variables, table_search_run(self, budget, NULL, 0),
        table_search_run(self, budget, bytes, capacity))

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
