/* Counting by joining half boards: the loops that take the time in three widths of vectors, chosen at run time. No Python. */
#ifndef NQUEENS_CP_JOIN_WIDTHS_H
#define NQUEENS_CP_JOIN_WIDTHS_H

#include "_join.h"

/* Of a block of stored boards; a row has one bit for each of them. A row is as wide as a block, in `free` always 8 words. */
typedef struct {
    uint64_t groups[(JOIN_MOST_GROUPS << JOIN_LOW) * JOIN_WORDS]; /* by group and the value of its bits */
    uint64_t keys[(1 << JOIN_MOST_KEY_BITS) * JOIN_WORDS];
    uint64_t free[64][JOIN_WORDS]; /* by crossing diagonal, in the order of their bits: the stored boards that do not take it */
} Tables;

/* Plain C: a block is one word. */

/* Write, for each of the first `bits` bits from JOIN_LOW on, which of 64 half boards have it not: a word every JOIN_WORDS. */
#define TRANSPOSE(name, target)                                                                                              \
    target static void name(const uint64_t *boards, int bits, uint64_t *free)                                                \
    {                                                                                                                        \
        uint64_t x[64];                                                                                                      \
        for (int i = 0; i < 64; i++)                                                                                         \
            x[i] = ~(boards[i] >> JOIN_LOW);                                                                                 \
        uint64_t mask = UINT64_C(0x00000000ffffffff);                                                                        \
        for (int step = 32; step; step >>= 1, mask ^= mask << step)                                                          \
            for (int start = 0; start < 64; start += 2 * step)                                                               \
                for (int i = start; i < start + step; i++) {                                                                 \
                    const uint64_t exchanged = (x[i] >> step ^ x[i + step]) & mask;                                          \
                    x[i] ^= exchanged << step;                                                                               \
                    x[i + step] ^= exchanged;                                                                                \
                }                                                                                                            \
        for (int bit = 0; bit < bits; bit++)                                                                                 \
            free[bit * JOIN_WORDS] = x[bit];                                                                                 \
    }

static uint64_t count_word(uint64_t word) /* mostly 0 */
{
    uint64_t bits = 0;
    for (; word; word &= word - 1)
        bits++;
    return bits;
}

TRANSPOSE(transpose_plain, )

#define NAME(x) x##_plain
#define TARGET
#define WORDS 1
#define Block uint64_t
#define load(at) (*(const uint64_t *)(at))
#define store(at, row) (*(at) = (row))
#define both(a, b) ((a) & (b))
#define is_zero(row) (!(row))
#define Counter uint64_t
#define count_zero() 0
#define count_add(sum, row) ((sum) + count_word(row))
#define count_sum(sum) (sum)
#include "_join_vectors.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

/* AVX2: a block is 4 words. */
#define TARGET __attribute__((target("avx2,bmi,popcnt")))
#define JOIN_HAS_VECTORS

/* For each set of four 64-bit places, the 32-bit places that move those to the front. */
static const uint32_t to_the_front[16][8] = {
    {0},          {0, 1},       {2, 3},             {0, 1, 2, 3}, {4, 5},
    {0, 1, 4, 5}, {2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {6, 7},       {0, 1, 6, 7},
    {2, 3, 6, 7}, {0, 1, 2, 3, 6, 7}, {4, 5, 6, 7}, {0, 1, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};

TARGET static uint64_t *disjoint_avx2(uint64_t one, const uint64_t *many, const uint64_t *end, uint64_t *out)
{
    const __m256i left = _mm256_set1_epi64x((long long)one), zero = _mm256_setzero_si256();
    for (; end - many >= 4; many += 4) {
        const __m256i right = _mm256_loadu_si256((const __m256i *)many);
        const __m256i apart = _mm256_cmpeq_epi64(_mm256_and_si256(left, right), zero);
        const unsigned places = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(apart));
        const __m256i order = _mm256_loadu_si256((const __m256i *)to_the_front[places]);
        _mm256_storeu_si256((__m256i *)out, _mm256_permutevar8x32_epi32(_mm256_or_si256(left, right), order));
        out += __builtin_popcount(places);
    }
    return disjoint_plain(one, many, end, out);
}

TARGET static inline __m256i count_row_avx2(__m256i sum, __m256i row)
{
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, /* of 0 to 15, twice */
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i in_bytes = _mm256_add_epi8(_mm256_shuffle_epi8(bits, _mm256_and_si256(row, low)),
                                             _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(row, 4), low)));
    return _mm256_add_epi64(sum, _mm256_sad_epu8(in_bytes, _mm256_setzero_si256()));
}

TARGET static inline uint64_t sum_avx2(__m256i sum)
{
    uint64_t parts[4];
    _mm256_storeu_si256((__m256i *)parts, sum);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

TRANSPOSE(transpose_avx2, TARGET)

#define NAME(x) x##_avx2
#define WORDS 4
#define Block __m256i
#define load(at) _mm256_loadu_si256((const __m256i *)(at))
#define store(at, row) _mm256_storeu_si256((__m256i *)(at), row)
#define both(a, b) _mm256_and_si256(a, b)
#define is_zero(row) _mm256_testz_si256(row, row)
#define Counter __m256i
#define count_zero() _mm256_setzero_si256()
#define count_add(sum, row) count_row_avx2(sum, row)
#define count_sum(sum) sum_avx2(sum)
#include "_join_vectors.h"

/* AVX-512 with VPOPCNTDQ (and VBMI, which every processor for which this pays has too): a block is 8 words. */
#define TARGET                                                                                                               \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,bmi,popcnt")))

TARGET static uint64_t *disjoint_avx512(uint64_t one, const uint64_t *many, const uint64_t *end, uint64_t *out)
{
    const __m512i left = _mm512_set1_epi64((long long)one);
    for (; many < end; many += 8) {
        const __mmask8 there = (__mmask8)(end - many >= 8 ? 255 : (1 << (end - many)) - 1);
        const __m512i right = _mm512_maskz_loadu_epi64(there, many);
        const __mmask8 apart = _mm512_mask_testn_epi64_mask(there, left, right);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(apart, _mm512_or_si512(left, right)));
        out += __builtin_popcount(apart);
    }
    return out;
}

/* By bytes: the bytes k of eight boards are brought together, then those of all 64, of which each bit in turn makes a mask. */
TARGET static void transpose_avx512(const uint64_t *boards, int bits, uint64_t *free)
{
    uint8_t order[64];
    for (int i = 0; i < 64; i++)
        order[i] = (uint8_t)(i % 8 * 8 + i / 8);
    const __m512i by_byte = _mm512_loadu_si512(order);
    __m512i eights[8], pairs[8], bytes[8];
    for (int i = 0; i < 8; i++)
        eights[i] = _mm512_permutexvar_epi8(by_byte, _mm512_srli_epi64(_mm512_loadu_si512(boards + 8 * i), JOIN_LOW));
    for (int i = 0; i < 8; i += 2) { /* even bytes of two eights, odd bytes of two eights */
        pairs[i] = _mm512_unpacklo_epi64(eights[i], eights[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi64(eights[i], eights[i + 1]);
    }
    for (int odd = 0; odd < 2; odd++) {
        const __m512i low = _mm512_shuffle_i64x2(pairs[odd], pairs[2 + odd], 0x44);
        const __m512i low2 = _mm512_shuffle_i64x2(pairs[4 + odd], pairs[6 + odd], 0x44);
        const __m512i high = _mm512_shuffle_i64x2(pairs[odd], pairs[2 + odd], 0xee);
        const __m512i high2 = _mm512_shuffle_i64x2(pairs[4 + odd], pairs[6 + odd], 0xee);
        bytes[odd] = _mm512_shuffle_i64x2(low, low2, 0x88);
        bytes[2 + odd] = _mm512_shuffle_i64x2(low, low2, 0xdd);
        bytes[4 + odd] = _mm512_shuffle_i64x2(high, high2, 0x88);
        bytes[6 + odd] = _mm512_shuffle_i64x2(high, high2, 0xdd);
    }
    for (int byte = 0; 8 * byte < bits; byte++) {
        __m512i rest = _mm512_xor_si512(bytes[byte], _mm512_set1_epi8(-1));
        for (int bit = 7; bit >= 0; bit--, rest = _mm512_add_epi8(rest, rest))
            free[(8 * byte + bit) * JOIN_WORDS] = _mm512_movepi8_mask(rest);
    }
}

TARGET static inline uint64_t sum_avx512(__m512i sum)
{
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

#define NAME(x) x##_avx512
#define WORDS 8
#define Block __m512i
#define load(at) _mm512_loadu_si512(at)
#define store(at, row) _mm512_storeu_si512(at, row)
#define both(a, b) _mm512_and_si512(a, b)
#define is_zero(row) (!_mm512_test_epi64_mask(row, row))
#define Counter __m512i
#define count_zero() _mm512_setzero_si512()
#define count_add(sum, row) _mm512_add_epi64(sum, _mm512_popcnt_epi64(row))
#define count_sum(sum) sum_avx512(sum)
#include "_join_vectors.h"
#endif

/* What a width of vectors does; the widest first. */
typedef struct {
    const char *name;
    int words;
    int (*is_there)(void);
    uint64_t *(*half_boards)(const Board *board, int half, uint32_t columns, uint64_t extra, uint64_t *out);
    uint64_t (*join_block)(const Board *board, const uint64_t *stored, size_t number, const uint64_t *queries,
                           const uint32_t *key_starts, Tables *tables, uint64_t *looked_at);
} Vectors;

static int always(void)
{
    return 1;
}

#ifdef JOIN_HAS_VECTORS
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
#endif

static const Vectors all_vectors[] = {
#ifdef JOIN_HAS_VECTORS
    {"avx512", 8, has_avx512, half_boards_avx512, join_block_avx512},
    {"avx2", 4, has_avx2, half_boards_avx2, join_block_avx2},
#endif
    {"plain", 1, always, half_boards_plain, join_block_plain},
};
#define VECTOR_WIDTHS (sizeof all_vectors / sizeof *all_vectors)

#endif
