// Counts of families and their scores, on a card. A family has q configurations of its parents and r states of the
// child: q · r cells, the child's state the quickest. The last cell is never counted: it has what the others leave.
typedef long long Long;
typedef unsigned long long Unsigned;

#ifndef CODE
#define CODE unsigned char
#endif

constexpr unsigned everyone = 0xffffffffu;

// ---------------------------------------------------------------------------------------------------------- the table

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

// Four bits become the lowest bits of four bytes.
__device__ inline unsigned four(unsigned bits) { return ((bits & 15u) * 0x00204081u) & 0x01010101u; }

// One word becomes 32 bytes: the weight of each observation where its bit is set, else 0.
__device__ inline void spread_word(unsigned word, const uint4 *weights, Long at, uint4 *bytes) {
    for (int half = 0; half < 2; ++half) {
        const unsigned its = word >> (16 * half);
        uint4 out = {four(its), four(its >> 4), four(its >> 8), four(its >> 12)};
        if (weights) {
            const uint4 w = weights[2 * at + half];
            out.x = (out.x * 255u) & w.x; out.y = (out.y * 255u) & w.y;
            out.z = (out.z * 255u) & w.z; out.w = (out.w * 255u) & w.w;
        }
        bytes[half] = out;
    }
}

// Of each mask the bits that all of its rows of bits have, as bytes.
extern "C" __global__ void mask_bytes(const unsigned *bits, Long n_words, const int *members, int n_members,
                                      const uint4 *weights, Long n, uint4 *bytes) {
    const Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; // one word of one mask
    if (i >= n) return;
    const Long at = i % n_words;
    const int *its = members + i / n_words * n_members;
    unsigned word = bits[its[0] * n_words + at];
    for (int k = 1; k < n_members; ++k) word &= bits[its[k] * n_words + at];
    spread_word(word, weights, at, bytes + 2 * i);
}

extern "C" __global__ void add_times(int *total, const int *part, int factor, Long n) {
    const Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    if (i < n) total[i] = (int)((unsigned)total[i] + (unsigned)factor * (unsigned)part[i]);
}

// ------------------------------------------------------------------------------------------- scores of counts by products

// What a score sums over counts: by count, of cells and of configurations; in the row of the table that has the number
// of configurations that occur, less one, where `table` is not 0 but the length of these rows.
struct Terms {
    const Long *cell, *row;
    Long table;
    double constant;
};

__device__ inline Terms of_observed(Terms terms, Long observed) {
    if (terms.table) {
        terms.cell += (max(observed, 1LL) - 1) * terms.table;
        terms.row += (max(observed, 1LL) - 1) * terms.table;
    }
    return terms;
}

template <class T> __device__ inline T sum_of_warp(T value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(everyone, value, step);
    return value;
}

// The score of a family by one warp, which has the counts of its cells: count(m).
template <class Count>
__device__ double score_of_cells(const Count &count, int q, int r, Terms terms, double unit) {
    const int lane = threadIdx.x % 32;
    if (terms.table) {
        Unsigned observed = 0;
        for (int j = lane; j < q; j += 32) {
            int n = 0;
            for (int k = 0; k < r; ++k) n += count(j * r + k);
            observed += n > 0;
        }
        terms = of_observed(terms, (Long)sum_of_warp(observed));
    }
    Unsigned sum = 0;
    for (int j = lane; j < q; j += 32) {
        int n = 0;
        for (int k = 0; k < r; ++k) {
            const int its = count(j * r + k);
            sum += (Unsigned)terms.cell[its];
            n += its;
        }
        sum += (Unsigned)terms.row[n];
    }
    return terms.constant + (double)(Long)sum_of_warp(sum) * unit;
}

// The counts of families of one shape with the candidates of a block: a row for each cell that is counted; columns for
// all states of the candidates but the last, all first states before all second ones, and then one for everything.
struct Counted {
    const int *counts;
    const int *totals; // of the columns
    Long stride;
    int everything, n_families, q, r, n_listed;
    const int *candidates;
    int n, states;
    const int *members; // of each family, and its place in the batch behind them
    int n_members;
};

extern "C" __global__ void own_scores(const Counted its, const Terms terms, double unit, double *own) {
    const int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (f >= its.n_families) return;
    const int *counts = its.counts + (Long)f * its.n_listed * its.stride + its.everything;
    Unsigned listed = 0;
    for (int m = threadIdx.x % 32; m < its.n_listed; m += 32) listed += counts[m * its.stride];
    const int rest = its.totals[its.everything] - (int)sum_of_warp(listed);
    const auto count = [&](int m) { return m < its.n_listed ? counts[m * its.stride] : rest; };
    const double score = score_of_cells(count, its.q, its.r, terms, unit);
    if (threadIdx.x % 32 == 0) own[its.members[f * (its.n_members + 1) + its.n_members]] = score;
}

// The score of a family with one more parent, by one thread.
__device__ double score_with(const Counted &its, Long f, int x, Terms terms, double unit) {
    const int *counts = its.counts + f * its.n_listed * its.stride;
    const int cells = its.q * its.r;
    if (its.states == 2 && !terms.table) { // of which there are most
        Unsigned sum = 0;
        int left = its.totals[x], left_of_all = its.totals[its.everything];
        for (int j = 0; j < its.q; ++j) {
            int n = 0, all = 0;
            for (int k = 0; k < its.r; ++k) {
                const int m = j * its.r + k;
                const int *at = counts + (Long)m * its.stride;
                const bool is_listed = m < its.n_listed;
                const int total = is_listed ? at[its.everything] : left_of_all;
                const int count = is_listed ? at[x] : left;
                left -= count;
                left_of_all -= total;
                sum += (Unsigned)terms.cell[count] + (Unsigned)terms.cell[total - count];
                n += count;
                all += total;
            }
            sum += (Unsigned)terms.row[n] + (Unsigned)terms.row[all - n];
        }
        return terms.constant + (double)(Long)sum * unit;
    }
    // The column of a state; of the last one, what the others leave of everything.
    const auto entry = [&](const int *row, int s) {
        if (s + 1 < its.states) return row[(Long)s * its.n + x];
        int left = row[its.everything];
        for (int t = 0; t + 1 < its.states; ++t) left -= row[(Long)t * its.n + x];
        return left;
    };
    // Calls use(count, whether it is the last of its configuration) for all cells of a state of the candidate.
    const auto each = [&](int s, const auto &use) {
        int left = entry(its.totals, s);
        for (int m = 0; m < cells; ++m) {
            const int count = m < its.n_listed ? entry(counts + (Long)m * its.stride, s) : left;
            left -= count;
            use(count, (m + 1) % its.r == 0);
        }
    };
    if (terms.table) {
        Long observed = 0;
        for (int s = 0; s < its.states; ++s) {
            int n = 0;
            each(s, [&](int count, bool is_last) {
                n += count;
                if (is_last) {
                    observed += n > 0;
                    n = 0;
                }
            });
        }
        terms = of_observed(terms, observed);
    }
    Unsigned sum = 0;
    for (int s = 0; s < its.states; ++s) {
        int n = 0;
        each(s, [&](int count, bool is_last) {
            sum += (Unsigned)terms.cell[count];
            n += count;
            if (is_last) {
                sum += (Unsigned)terms.row[n];
                n = 0;
            }
        });
    }
    return terms.constant + (double)(Long)sum * unit;
}

__device__ inline bool is_member(const int *members, int n_members, int variable) {
    for (int k = 0; k < n_members; ++k) {
        if (members[k] == variable) return true;
    }
    return false;
}

extern "C" __global__ void addition_scores(const Counted its, const Terms terms, double unit, double *out,
                                           Long out_stride) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const Long f = blockIdx.y;
    if (x >= its.n || is_member(its.members + f * (its.n_members + 1), its.n_members, its.candidates[x])) return;
    out[f * out_stride + its.candidates[x]] = score_with(its, f, x, terms, unit);
}

struct Improvement {
    double score;
    int family;
    int variable;
};

// Where improvements are noted, in any order; all are counted, also those that have no place.
struct Place {
    Unsigned *n_found;
    Unsigned most;
    Improvement *found;
    const double *own;
    double rounding;
};

__device__ inline void note(const Place &place, double score, int family, int variable) {
    if (score > place.own[family] + place.rounding) {
        const Unsigned at = atomicAdd(place.n_found, 1ULL);
        if (at < place.most) place.found[at] = {score, family, variable};
    }
}

extern "C" __global__ void improve(const Counted its, const Terms terms, double unit, const Place place) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const Long f = blockIdx.y;
    const int *members = its.members + f * (its.n_members + 1);
    if (x >= its.n || is_member(members, its.n_members, its.candidates[x])) return;
    note(place, score_with(its, f, x, terms, unit), members[its.n_members], its.candidates[x]);
}

// -------------------------------------------------------------------------------------- a few families, counted by bits

constexpr int most_members = 8;
constexpr int most_cells = 64;  // the stride of totals
constexpr int listed_stride = 34;
constexpr int few_threads = 256;
constexpr int few_warps = few_threads / 32;

struct Few {
    Terms own;
    int n_members, q, r, n_listed;
    int first_mask; // its masks: of each cell that is counted those of all digits of the weights
    int variables[most_members];
    int rows[most_members]; // of bits, those of the first states
    int arities[most_members];
    int padding;
};

// What blocks add up, and the last one takes: zero before and after.
struct Gathered {
    unsigned counts[most_cells];
    unsigned tickets;
};

__device__ inline int ones(uint4 a) { return __popc(a.x) + __popc(a.y) + __popc(a.z) + __popc(a.w); }
__device__ inline uint4 both(uint4 a, uint4 b) { return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w}; }

// The masks of a family, the counts of its cells, and its score by the block that comes last.
extern "C" __global__ void few_masks(const uint4 *bits, Long n_vectors, const uint4 *digits, int n_digits,
                                     const Few *families, uint4 *masks, Gathered *gathered, int *totals,
                                     const int *n_observations, double unit, double *own, Unsigned *n_found) {
    __shared__ unsigned counts[most_cells];
    __shared__ bool is_last;
    const int f = blockIdx.y;
    const Few &its = families[f];
    if (f == 0 && blockIdx.x == 0 && threadIdx.x == 0) *n_found = 0;
    for (int m = threadIdx.x; m < most_cells; m += blockDim.x) counts[m] = 0;
    __syncthreads();
    const Long step = gridDim.x * (Long)blockDim.x;
    for (int m = 0; m < its.n_listed; ++m) {
        const uint4 *rows[most_members];
        int rest = m;
        #pragma unroll
        for (int k = most_members - 1; k >= 0; --k) {
            if (k < its.n_members) {
                rows[k] = bits + (its.rows[k] + rest % its.arities[k]) * n_vectors;
                rest /= its.arities[k];
            }
        }
        int count = 0;
        for (Long w = blockIdx.x * (Long)blockDim.x + threadIdx.x; w < n_vectors; w += step) {
            uint4 mask = rows[0][w];
            #pragma unroll
            for (int k = 1; k < most_members; ++k) {
                if (k < its.n_members) mask = both(mask, rows[k][w]);
            }
            for (int d = 0; d < n_digits; ++d) {
                const uint4 part = digits ? both(mask, digits[d * n_vectors + w]) : mask;
                masks[(its.first_mask + m * n_digits + d) * n_vectors + w] = part;
                count += ones(part) << d;
            }
        }
        count = sum_of_warp(count);
        if (threadIdx.x % 32 == 0 && count) atomicAdd(&counts[m], (unsigned)count);
    }
    __syncthreads();
    for (int m = threadIdx.x; m < its.n_listed; m += blockDim.x) {
        if (counts[m]) atomicAdd(&gathered[f].counts[m], counts[m]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&gathered[f].tickets, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last || threadIdx.x >= 32) return;
    __threadfence();
    const int lane = threadIdx.x, cells = its.q * its.r;
    Unsigned listed = 0;
    for (int m = lane; m < its.n_listed; m += 32) {
        counts[m] = __ldcg(&gathered[f].counts[m]);
        gathered[f].counts[m] = 0;
        listed += counts[m];
    }
    listed = sum_of_warp(listed);
    if (lane == 0) {
        gathered[f].tickets = 0;
        if (its.n_listed < cells) counts[its.n_listed] = (unsigned)(*n_observations - (int)listed);
    }
    __syncwarp();
    for (int m = lane; m < cells; m += 32) totals[f * most_cells + m] = (int)counts[m];
    const double score = score_of_cells([&](int m) { return (int)counts[m]; }, its.q, its.r, its.own, unit);
    if (lane == 0) own[f] = score;
}

// How often two planes go with some masks, for the part of the observations that a warp has.
template <int some>
__device__ void count_pair(const uint4 *one, const uint4 *other, const uint4 *masks, Long n_vectors, Long first,
                           Long step, int first_mask, int n_digits, int *of_one, int *of_other) {
    unsigned in_one[some] = {}, in_other[some] = {};
    for (Long w = first; w < n_vectors; w += step) {
        const uint4 a = one[w], b = other[w];
        #pragma unroll
        for (int m = 0; m < some; ++m) {
            const uint4 mask = masks[m * n_vectors + w];
            in_one[m] += ones(both(a, mask));
            in_other[m] += ones(both(b, mask));
        }
    }
    #pragma unroll
    for (int m = 0; m < some; ++m) {
        const unsigned a = sum_of_warp(in_one[m]), b = sum_of_warp(in_other[m]);
        if (threadIdx.x % 32 == 0) {
            const int cell = (first_mask + m) / n_digits, digit = (first_mask + m) % n_digits;
            atomicAdd(&of_one[cell], (int)(a << digit));
            if (of_other) atomicAdd(&of_other[cell], (int)(b << digit));
        }
    }
}

__device__ void count_planes(const uint4 *one, const uint4 *other, const uint4 *masks, int n_masks, Long n_vectors,
                             Long first, Long step, int n_digits, int *of_one, int *of_other) {
    for (int m = 0; m < n_masks; m += 8) {
        const uint4 *its = masks + m * n_vectors;
        switch (min(8, n_masks - m)) {
        case 1: count_pair<1>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        case 2: count_pair<2>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        case 3: count_pair<3>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        case 4: count_pair<4>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        case 5: count_pair<5>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        case 6: count_pair<6>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        case 7: count_pair<7>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        default: count_pair<8>(one, other, its, n_vectors, first, step, m, n_digits, of_one, of_other); break;
        }
    }
}

// The candidates of a block: two at a time where they have two states, else one with all of its planes. `split` warps
// share the observations of these.
extern "C" __global__ void few_improve(const uint4 *bits, Long n_vectors, const int *rows, const int *block_totals,
                                       const int *candidates, int n, int states, const Few *families,
                                       const Terms *terms, const uint4 *masks, const int *totals, int n_digits,
                                       int split, double unit, const Place place) {
    extern __shared__ int shared[];
    const int f = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Few &its = families[f];
    const int at_once = states == 2 ? 2 : 1, n_planes = states == 2 ? 2 : states - 1;
    const int group = warp / split, n_groups = few_warps / split;
    int *counts = shared + group * n_planes * listed_stride;
    for (int i = threadIdx.x; i < n_groups * n_planes * listed_stride; i += blockDim.x) shared[i] = 0;
    __syncthreads();
    const int x = (blockIdx.x * n_groups + group) * at_once;
    // Column p of the candidates at hand: of binary ones the second is the next candidate's.
    const auto column = [&](int p) { return states == 2 ? min(x + p, n - 1) : p * n + x; };
    if (x < n) {
        const uint4 *its_masks = masks + its.first_mask * n_vectors;
        const int n_masks = its.n_listed * n_digits;
        const Long first = (warp % split) * 32 + lane, step = 32 * split;
        for (int p = 0; p < n_planes; p += 2) {
            const bool has_other = p + 1 < n_planes;
            const uint4 *one = bits + rows[column(p)] * n_vectors;
            const uint4 *other = bits + rows[column(has_other ? p + 1 : p)] * n_vectors;
            count_planes(one, other, its_masks, n_masks, n_vectors, first, step, n_digits, counts + p * listed_stride,
                         has_other ? counts + (p + 1) * listed_stride : nullptr);
        }
    }
    __syncthreads();
    if (x >= n || warp % split != 0) return;
    const int cells = its.q * its.r;
    if (its.n_listed < cells) {
        for (int p = 0; p < n_planes; ++p) {
            int *here = counts + p * listed_stride;
            const int listed = sum_of_warp(lane < its.n_listed ? here[lane] : 0); // of at most 32
            if (lane == 0) here[its.n_listed] = block_totals[column(p)] - listed;
        }
        __syncwarp();
    }
    const int *all = totals + f * most_cells;
    for (int c = 0; c < at_once && x + c < n; ++c) {
        const int variable = candidates[x + c];
        if (is_member(its.variables, its.n_members, variable)) continue;
        const int *here = counts + c * listed_stride;
        // Configurations of the parents with this one: its states are the slowest.
        const auto count = [&](int m) {
            const int s = m / cells, cell = m % cells;
            if (s + 1 < states) return here[s * listed_stride + cell];
            int left = all[cell];
            for (int t = 0; t + 1 < states; ++t) left -= here[t * listed_stride + cell];
            return left;
        };
        const Terms its_terms = terms[f];
        const double score = score_of_cells(count, its.q * states, its.r, its_terms, unit);
        if (lane == 0) note(place, score, f, variable);
    }
}
