"""The kernels of a card, in CUDA C++."""

__all__ = ["SOURCE"]

SOURCE = r"""
typedef long long Long;
typedef unsigned long long Unsigned;

extern "C" __global__ void pack(const CODE *codes, Long n_rows, int n_states, Long n_words, Long n, unsigned *bits) {
    const Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; // one word of one state of one column
    if (i >= n) return;
    const Long word = i % n_words;
    const Long plane = i / n_words;
    const CODE *column = codes + plane / n_states * n_rows;
    const CODE state = plane % n_states;
    unsigned all = 0;
    for (int b = 0; b < 32; ++b) {
        const Long row = 32 * word + b;
        all |= (unsigned)(row < n_rows && column[row] == state) << b;
    }
    bits[i] = all;
}

extern "C" __global__ void intersect(const uint4 *bits, Long n_vectors, const int *members, int n_members, Long n,
                                     uint4 *masks) {
    const Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; // four words of one mask
    if (i >= n) return;
    const Long at = i % n_vectors;
    const int *its = members + i / n_vectors * n_members;
    uint4 all = bits[its[0] * n_vectors + at];
    for (int k = 1; k < n_members; ++k) {
        const uint4 one = bits[its[k] * n_vectors + at];
        all.x &= one.x; all.y &= one.y; all.z &= one.z; all.w &= one.w;
    }
    masks[i] = all;
}

// Four bits become the lowest bits of four bytes.
__device__ inline unsigned four(unsigned bits) { return ((bits & 15u) * 0x00204081u) & 0x01010101u; }

extern "C" __global__ void spread(const unsigned *bits, Long n_words, const int *rows, const uint4 *weights, Long n,
                                  uint4 *bytes) {
    const Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; // one word
    if (i >= n) return;
    const Long at = i % n_words;
    const Long row = i / n_words;
    const unsigned word = bits[(rows ? rows[row] : row) * n_words + at];
    for (int half = 0; half < 2; ++half) {
        const unsigned its = word >> (16 * half);
        uint4 out = {four(its), four(its >> 4), four(its >> 8), four(its >> 12)};
        if (weights) {
            const uint4 w = weights[2 * at + half];
            out.x = (out.x * 255u) & w.x; out.y = (out.y * 255u) & w.y;
            out.z = (out.z * 255u) & w.z; out.w = (out.w * 255u) & w.w;
        }
        bytes[2 * i + half] = out;
    }
}

__device__ inline int common(uint4 a, uint4 b) {
    return __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
}

// A warp has two planes and a few masks.
template <int few>
__device__ void common_bits(const uint4 *bits, Long n_vectors, const int *rows, int n_rows, const uint4 *masks,
                            int n_masks, int *counts, Long stride) {
    const int lane = threadIdx.x % 32;
    const int first = 2 * ((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (first >= n_rows) return;
    const int second = min(first + 1, n_rows - 1);
    const uint4 *one = bits + rows[first] * n_vectors;
    const uint4 *other = bits + rows[second] * n_vectors;
    const int mask = blockIdx.y * few;
    int of_one[few] = {}, of_other[few] = {};
    for (Long w = lane; w < n_vectors; w += 32) {
        const uint4 a = one[w], b = other[w];
        #pragma unroll
        for (int m = 0; m < few; ++m) {
            const uint4 its = masks[min(mask + m, n_masks - 1) * n_vectors + w];
            of_one[m] += common(a, its);
            of_other[m] += common(b, its);
        }
    }
    #pragma unroll
    for (int m = 0; m < few; ++m) {
        for (int step = 16; step > 0; step /= 2) {
            of_one[m] += __shfl_down_sync(0xffffffffu, of_one[m], step);
            of_other[m] += __shfl_down_sync(0xffffffffu, of_other[m], step);
        }
        if (lane == 0 && mask + m < n_masks) {
            counts[(mask + m) * stride + first] = of_one[m];
            counts[(mask + m) * stride + second] = of_other[m];
        }
    }
}

#define COMMON_BITS(few)                                                                                               \
    extern "C" __global__ void common_bits_##few(const uint4 *bits, Long n_vectors, const int *rows, int n_rows,      \
                                                 const uint4 *masks, int n_masks, int *counts, Long stride) {          \
        common_bits<few>(bits, n_vectors, rows, n_rows, masks, n_masks, counts, stride);                               \
    }
COMMON_BITS(1)
COMMON_BITS(2)
COMMON_BITS(4)
COMMON_BITS(8)

extern "C" __global__ void add_times(int *total, const int *part, int factor, Long n) {
    const Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    if (i < n) total[i] = (int)((unsigned)total[i] + (unsigned)factor * (unsigned)part[i]);
}


extern "C" __global__ void own_scores(const int *counts, Long stride, int everything, int n_families, int q, int r,
                                      const Long *cell, const Long *row, Long table, double constant, double unit,
                                      double *own) {
    const int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= n_families) return;
    const int *its = counts + (Long)f * q * r * stride + everything;
    if (table) {
        Long observed = 0;
        for (int j = 0; j < q; ++j) {
            int n = 0;
            for (int k = 0; k < r; ++k) n += its[(Long)(j * r + k) * stride];
            observed += n > 0;
        }
        cell += (max(observed, 1LL) - 1) * table;
        row += (max(observed, 1LL) - 1) * table;
    }
    Unsigned sum = 0;
    for (int j = 0; j < q; ++j) {
        int n = 0;
        for (int k = 0; k < r; ++k) {
            const int count = its[(Long)(j * r + k) * stride];
            sum += (Unsigned)cell[count];
            n += count;
        }
        sum += (Unsigned)row[n];
    }
    own[f] = constant + (double)(Long)sum * unit;
}

struct Shape {
    const int *counts; // of this family
    Long stride;
    int everything, q, r, states, n;
};

// How often the candidate's state s goes with cell m of the family.
__device__ inline int count_of(const Shape &its, Long m, int x, int s) {
    const int *at = its.counts + m * its.stride;
    if (s + 1 < its.states) return at[(Long)s * its.n + x];
    int left = at[its.everything];
    for (int t = 0; t + 1 < its.states; ++t) left -= at[(Long)t * its.n + x];
    return left;
}

__device__ double score_with(const Shape &its, int x, const Long *cell, const Long *row, Long table, double constant,
                             double unit) {
    if (table) {
        Long observed = 0;
        for (int j = 0; j < its.q; ++j) {
            for (int s = 0; s < its.states; ++s) {
                int n = 0;
                for (int k = 0; k < its.r; ++k) n += count_of(its, j * its.r + k, x, s);
                observed += n > 0;
            }
        }
        cell += (max(observed, 1LL) - 1) * table;
        row += (max(observed, 1LL) - 1) * table;
    }
    Unsigned sum = 0;
    if (its.states == 2) {
        for (int j = 0; j < its.q; ++j) {
            int n = 0, all = 0;
            for (int k = 0; k < its.r; ++k) {
                const int *at = its.counts + (Long)(j * its.r + k) * its.stride;
                const int total = at[its.everything];
                const int count = at[x];
                sum += (Unsigned)cell[count] + (Unsigned)cell[total - count];
                n += count;
                all += total;
            }
            sum += (Unsigned)row[n] + (Unsigned)row[all - n];
        }
    } else {
        for (int j = 0; j < its.q; ++j) {
            for (int s = 0; s < its.states; ++s) {
                int n = 0;
                for (int k = 0; k < its.r; ++k) {
                    const int count = count_of(its, j * its.r + k, x, s);
                    sum += (Unsigned)cell[count];
                    n += count;
                }
                sum += (Unsigned)row[n];
            }
        }
    }
    return constant + (double)(Long)sum * unit;
}

__device__ inline bool is_member(const int *members, int n_members, int variable) {
    for (int k = 0; k < n_members; ++k) {
        if (members[k] == variable) return true;
    }
    return false;
}

extern "C" __global__ void addition_scores(const int *counts, Long stride, int everything, int q, int r,
                                           const int *candidates, int n, int states, const int *members, int n_members,
                                           const Long *cell, const Long *row, Long table, double constant, double unit,
                                           double *out, Long out_stride) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const Long f = blockIdx.y;
    if (x >= n || is_member(members + f * n_members, n_members, candidates[x])) return;
    const Shape its{counts + f * q * r * stride, stride, everything, q, r, states, n};
    out[f * out_stride + candidates[x]] = score_with(its, x, cell, row, table, constant, unit);
}

struct Improvement {
    double score;
    int family;
    int variable;
};

extern "C" __global__ void improve(const int *counts, Long stride, int everything, int q, int r, const int *candidates,
                                   int n, int states, const int *members, int n_members, const Long *cell,
                                   const Long *row, Long table, double constant, double unit, const double *own,
                                   double rounding, const int *families, Unsigned *n_found, Unsigned most,
                                   Improvement *found) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const Long f = blockIdx.y;
    if (x >= n || is_member(members + f * n_members, n_members, candidates[x])) return;
    const Shape its{counts + f * q * r * stride, stride, everything, q, r, states, n};
    const double score = score_with(its, x, cell, row, table, constant, unit);
    if (score > own[f] + rounding) {
        const Unsigned at = atomicAdd(n_found, 1ULL);
        if (at < most) {
            found[at] = {score, families[f], candidates[x]};
        }
    }
}
"""
