/* The search of the conflict form: forward checking on bit-set domains. */
#ifndef NQUEENS_CP_TABLES_H
#define NQUEENS_CP_TABLES_H

#include "_kernel.h"

#define MAX_VARIABLES 1024
#define MAX_ENTRIES (1u << 26)
#define MAX_MERGED (1u << 22)  /* exclusions that are merged into one list */

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
    /* The exact groups that say "one of these variables has value k", for the same variables: value k is bit k of `family`. */
    uint64_t family;
    uint32_t *family_variables, family_size;
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

/* Give the values of the family that only one variable can take to it; return 0 at a contradiction. */
static int propagate_family(TableSearch *self, uint64_t *domains, const uint8_t *settled, int *waiting, int *changed)
{
    uint64_t once = 0, twice = 0;
    for (uint32_t i = 0; i < self->family_size; i++) {
        const uint64_t domain = domains[self->family_variables[i]];
        twice |= once & domain;
        once |= domain;
    }
    if (self->family & ~once)
        return 0;
    const uint64_t only_one = self->family & ~twice;
    for (uint32_t i = 0; only_one && i < self->family_size; i++) {
        const int variable = (int)self->family_variables[i];
        const uint64_t must = domains[variable] & only_one;
        if (must && domains[variable] != must) {
            if (!is_single(must) || !narrow(self, domains, settled, variable, ~must, waiting))
                return 0;
            *changed = 1;
        }
    }
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
        if (!propagate_family(self, domains, settled, &waiting, &changed))
            return 0;
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

#endif
