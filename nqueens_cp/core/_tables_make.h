/* The making of the search of the conflict form from the arrays that Python hands over. */
#ifndef NQUEENS_CP_TABLES_MAKE_H
#define NQUEENS_CP_TABLES_MAKE_H

#include "_tables.h"

static void table_search_free_arrays(TableSearch *self)
{
    PyMem_Free(self->group_starts);
    PyMem_Free(self->entry_variables);
    PyMem_Free(self->entry_masks);
    PyMem_Free(self->exact);
    PyMem_Free(self->family_variables);
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

/* List for each (variable, value) what it excludes by pairs. Pair p says what the values of variables[p], as many as sizes
 * tells, exclude of others[p]: one mask for each, one after the other in `masks`. */
static int index_pairs(TableSearch *self, const uint8_t *sizes, const uint32_t *variables, const uint32_t *others,
                       const uint64_t *masks, size_t pairs)
{
    const size_t places = (size_t)self->variables * WORD;
    uint32_t *starts = PyMem_Calloc(places + 2, sizeof *starts);
    self->pair_starts = starts;
    if (!starts)
        return -1;
    const uint64_t *mask = masks; /* starts[place + 2] counts, then starts[place + 1] is where the next of a place goes */
    for (size_t p = 0; p < pairs; p++)
        for (size_t k = 0; k < sizes[variables[p]]; k++)
            starts[(size_t)variables[p] * WORD + k + 2] += *mask++ != 0;
    for (size_t place = 0; place < places; place++)
        starts[place + 2] += starts[place + 1];
    const size_t total = starts[places + 1];
    self->pair_variables = PyMem_Calloc(total ? total : 1, sizeof *self->pair_variables);
    self->pair_masks = PyMem_Calloc(total ? total : 1, sizeof *self->pair_masks);
    if (!self->pair_variables || !self->pair_masks)
        return -1;
    mask = masks;
    for (size_t p = 0; p < pairs; p++)
        for (size_t k = 0; k < sizes[variables[p]]; k++, mask++)
            if (*mask) {
                uint32_t at = starts[(size_t)variables[p] * WORD + k + 1]++;
                self->pair_variables[at] = others[p];
                self->pair_masks[at] = *mask;
            }
    return 0;
}

/* Move a group down to follow those that are kept. */
static void keep_group(TableSearch *self, uint32_t group, uint32_t *kept, uint32_t *entries)
{
    const uint32_t first = self->group_starts[group], size = self->group_starts[group + 1] - first;
    memmove(self->entry_variables + *entries, self->entry_variables + first, size * sizeof *self->entry_variables);
    memmove(self->entry_masks + *entries, self->entry_masks + first, size * sizeof *self->entry_masks);
    self->exact[*kept] = self->exact[group];
    self->group_starts[(*kept)++] = *entries;
    *entries += size;
}

/* Whether a group says, like those of the family so far, that one of its variables has a single value, a new one. */
static int fits_family(const TableSearch *self, uint32_t group)
{
    const uint32_t first = self->group_starts[group], size = self->group_starts[group + 1] - first;
    const uint64_t bit = size ? self->entry_masks[first] : 0;
    if (!is_single(bit) || self->family & bit || size > (uint32_t)self->variables)
        return 0;
    if (self->family_size && size != self->family_size)
        return 0;
    for (uint32_t i = 0; i < size; i++)
        if (self->entry_masks[first + i] != bit ||
            (self->family_size && self->family_variables[i] != self->entry_variables[first + i]))
            return 0;
    return 1;
}

/* Forget the groups that are not exact, and take the family out of the others. Those are turned over: propagate looks for two
 * variables that can still take a value, and the last variables are the ones that are mostly undecided. */
static int keep_exact_groups(TableSearch *self)
{
    uint32_t kept = 0, entries = 0;
    self->family_variables = PyMem_Calloc((size_t)self->variables, sizeof *self->family_variables);
    if (!self->family_variables)
        return -1;
    for (uint32_t group = 0; group < self->groups; group++) {
        if (!self->exact[group])
            continue;
        const uint32_t first = self->group_starts[group], size = self->group_starts[group + 1] - first;
        if (fits_family(self, group)) {
            self->family |= self->entry_masks[first];
            self->family_size = size;
            memcpy(self->family_variables, self->entry_variables + first, size * sizeof *self->family_variables);
            continue;
        }
        keep_group(self, group, &kept, &entries);
        for (uint32_t low = entries - size, high = entries; low + 1 < high; low++) {
            uint32_t variable = self->entry_variables[--high];
            uint64_t mask = self->entry_masks[high];
            self->entry_variables[high] = self->entry_variables[low];
            self->entry_masks[high] = self->entry_masks[low];
            self->entry_variables[low] = variable;
            self->entry_masks[low] = mask;
        }
    }
    self->group_starts[kept] = entries;
    self->groups = kept;
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
 * is not too large; only the exact groups are then kept. */
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
    result = keep_exact_groups(self);
end:
    PyMem_Free(masks);
    PyMem_Free(touched);
    PyMem_Free(starts);
    PyMem_Free(others);
    PyMem_Free(excluded);
    return result;
}

/* Make the levels and propagate what holds before any decision. */
static int begin(TableSearch *self, const uint8_t *sizes)
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
    int waiting = 0, possible = 1;
    for (int v = 0; v < self->variables; v++) {
        self->domains[v] = sizes[v] ? ~UINT64_C(0) >> (WORD - sizes[v]) : 0;
        if (!sizes[v])
            possible = 0;
        if (sizes[v] == 1)
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

/* Sizes: how many values each variable has. Groups: where their entries begin, and the end. Pairs: see index_pairs. */
enum { SIZES, GROUP_STARTS, ENTRY_VARIABLES, ENTRY_MASKS, EXACT, PAIR_VARIABLES, PAIR_OTHERS, PAIR_MASKS, BUFFERS };

static int table_search_set(TableSearch *self, const Py_buffer *view)
{
    const size_t variables = (size_t)view[SIZES].len, entries = (size_t)view[ENTRY_MASKS].len / 8;
    const size_t pairs = (size_t)view[PAIR_VARIABLES].len / 4, pair_masks = (size_t)view[PAIR_MASKS].len / 8;
    const size_t starts = (size_t)view[GROUP_STARTS].len / 4;
    const uint8_t *sizes = view[SIZES].buf;
    const uint32_t *pair_variables = view[PAIR_VARIABLES].buf, *pair_others = view[PAIR_OTHERS].buf;
    if (variables < 1 || variables > MAX_VARIABLES) {
        PyErr_Format(PyExc_ValueError, "sizes: %zu variables are not in 1..%d", variables, MAX_VARIABLES);
        return -1;
    }
    for (size_t v = 0; v < variables; v++)
        if (sizes[v] > WORD) {
            PyErr_Format(PyExc_ValueError, "sizes: item %zu is %d, more than %d", v, sizes[v], WORD);
            return -1;
        }
    if (entries > MAX_ENTRIES / WORD || pair_masks > MAX_ENTRIES) {
        PyErr_SetString(PyExc_ValueError, "the table of conflicts is too large");
        return -1;
    }
    if (check_variables(view[ENTRY_VARIABLES].buf, (size_t)view[ENTRY_VARIABLES].len / 4, (uint32_t)variables,
                        "entry_variables") < 0 ||
        check_variables(pair_variables, pairs, (uint32_t)variables, "pair_variables") < 0 ||
        check_variables(pair_others, (size_t)view[PAIR_OTHERS].len / 4, (uint32_t)variables, "pair_others") < 0)
        return -1;
    size_t needed = 0;
    for (size_t p = 0; p < pairs; p++)
        needed += sizes[pair_variables[p]];
    if ((size_t)view[ENTRY_VARIABLES].len / 4 != entries || (size_t)view[PAIR_OTHERS].len / 4 != pairs || starts < 1 ||
        (size_t)view[EXACT].len != starts - 1 || needed != pair_masks) {
        PyErr_SetString(PyExc_ValueError, "the lengths of the buffers do not fit together");
        return -1;
    }
    self->variables = (int)variables;
    self->groups = (uint32_t)(starts - 1);
    if (!(self->group_starts = copied(&view[GROUP_STARTS])) || !(self->entry_variables = copied(&view[ENTRY_VARIABLES])) ||
        !(self->entry_masks = copied(&view[ENTRY_MASKS])) || !(self->exact = copied(&view[EXACT]))) {
        PyErr_NoMemory();
        return -1;
    }
    if (check_starts(self->group_starts, starts, entries, "group_starts") < 0)
        return -1;
    if (index_members(self, entries) < 0 ||
        index_pairs(self, sizes, pair_variables, pair_others, view[PAIR_MASKS].buf, pairs) < 0 || merge(self) < 0 ||
        begin(self, sizes) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static PyObject *table_search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"sizes", "group_starts", "entry_variables", "entry_masks", "exact",
                            "pair_variables", "pair_others", "pair_masks", "lexicographic", NULL};
    static const int sizes[BUFFERS] = {1, 4, 4, 8, 1, 4, 4, 8};
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

#endif
