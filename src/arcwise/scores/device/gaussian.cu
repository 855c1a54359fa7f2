// Scores of continuous data on a card: columns of a matrix of products are eliminated as in gaussian_lanes.hpp, every
// operation in the same order and rounded by itself (--fmad=false), so that the numbers are the same to the last bit.
// A part of counting.cu.

constexpr int most_gaussian_parents = 16;
constexpr double redundant_pivot = 1e-10;

struct GaussianFamily {
    double own_constant, own_slope; // of its own score
    double constant, slope;         // with one more parent
    int child, n_parents;
    int parents[most_gaussian_parents]; // ascending
};

struct GaussianMatrix {
    const double *values; // n × n
    const double *floors; // of pivots
    int n, is_bayesian;
};

// Of a family, with m - 1 the most parents of all: its rest after 0, 1, … parents were eliminated (m × m each), the
// inverses of their pivots, and the sums of the logarithms of these.
struct Factor {
    double *stages, *inverses, *logarithms;
    int m;

    __device__ Factor(double *work, Long f, int m) : m(m) {
        stages = work + f * ((Long)m * m * m + 2 * m);
        inverses = stages + (Long)m * m * m;
        logarithms = inverses + m;
    }
    __device__ double &rest(int stage, int a, int b) const { return stages[(stage * m + a) * m + b]; }
};

// As gaussian_log.hpp.
__device__ inline double natural_log(double x) {
    const Unsigned bits = (Unsigned)__double_as_longlong(x);
    const Unsigned exponent = (bits + (0x3FF0000000000000ULL - 0x3FE6A09E667F3BCDULL)) >> 52;
    const double mantissa = __longlong_as_double((Long)(bits - ((exponent - 1023) << 52)));
    const double e = __longlong_as_double((Long)(exponent | 0x4330000000000000ULL)) - (0x1p52 + 1023.0);
    const double f = mantissa - 1.0;
    const double s = f / (f + 2.0);
    const double z = s * s;
    const double w = z * z;
    double even = w * (2.0 / 23.0) + 2.0 / 19.0;
    double odd = w * (2.0 / 21.0) + 2.0 / 17.0;
    even = even * w + 2.0 / 15.0;
    odd = odd * w + 2.0 / 13.0;
    even = even * w + 2.0 / 11.0;
    odd = odd * w + 2.0 / 9.0;
    even = even * w + 2.0 / 7.0;
    odd = odd * w + 2.0 / 5.0;
    even = even * w + 2.0 / 3.0;
    const double series = even + odd * z;
    return e * 0x1.62e42feep-1 + (f - (s * (f - z * series) - e * 0x1.a39ef35793c76p-33));
}

__device__ inline double log_of_pivot(double pivot, double floor) {
    return natural_log(pivot > floor ? pivot : floor);
}

__device__ inline double inverse_of(double pivot, double diagonal) {
    return pivot > diagonal * redundant_pivot ? 1.0 / pivot : 0.0;
}

// A block for each family: its parents one after the other, and then its own score.
extern "C" __global__ void gaussian_factor(const GaussianMatrix matrix, const GaussianFamily *families, int m,
                                           double *work, double *own) {
    const GaussianFamily &its = families[blockIdx.x];
    const Factor factor(work, blockIdx.x, m);
    const int k = its.n_parents;
    const auto column = [&](int a) { return (Long)(a < k ? its.parents[a] : its.child); };
    for (int i = threadIdx.x; i < (k + 1) * (k + 1); i += blockDim.x) {
        const int a = i / (k + 1), b = i % (k + 1);
        if (b <= a) factor.rest(0, a, b) = matrix.values[column(a) * matrix.n + column(b)];
    }
    if (threadIdx.x == 0) factor.logarithms[0] = 0.0;
    for (int j = 0; j < k; ++j) {
        __syncthreads();
        const double pivot = factor.rest(j, j, j);
        const double inverse = inverse_of(pivot, matrix.values[column(j) * matrix.n + column(j)]);
        for (int i = threadIdx.x; i < (k + 1) * (k + 1); i += blockDim.x) {
            const int a = i / (k + 1), b = i % (k + 1);
            if (b > j && b <= a) {
                factor.rest(j + 1, a, b) =
                    factor.rest(j, a, b) - factor.rest(j, a, j) * (factor.rest(j, b, j) * inverse);
            }
        }
        if (threadIdx.x == 0) {
            factor.inverses[j] = inverse;
            factor.logarithms[j + 1] =
                matrix.is_bayesian ? factor.logarithms[j] + log_of_pivot(pivot, matrix.floors[column(j)]) : 0.0;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const double residual = log_of_pivot(factor.rest(k, k, k), matrix.floors[its.child]);
        own[blockIdx.x] = its.own_constant - its.own_slope * residual - 0.5 * factor.logarithms[k];
    }
}

// The score with column x between its parents, which is none of them.
template <int most>
__device__ double gaussian_with(const GaussianMatrix &matrix, const GaussianFamily &its, const Factor &factor, int x) {
    const int k = its.n_parents;
    const auto column = [&](int a) { return (Long)(a < k ? its.parents[a] : its.child); };
    int n_done = 0;
    while (n_done < k && its.parents[n_done] < x) ++n_done;
    double v[most + 1], l[most + 1], l_of_candidate[most + 1], inverses[most + 1], l_left[most + 1][most + 1];
    const double diagonal = matrix.values[(Long)x * matrix.n + x];
    double pivot = diagonal;
    for (int a = 0; a < n_done; ++a) {
        double entry = matrix.values[column(a) * matrix.n + x];
        for (int b = 0; b < a; ++b) entry -= v[b] * (factor.rest(b, a, b) * factor.inverses[b]);
        v[a] = entry;
        l[a] = entry * factor.inverses[a];
        pivot -= entry * l[a];
    }
    const double inverse = inverse_of(pivot, diagonal);
    double residual = 0.0, pivots = factor.logarithms[n_done];
    if (matrix.is_bayesian) pivots += log_of_pivot(pivot, matrix.floors[x]);
    for (int t = 0; t <= k - n_done; ++t) {
        const int row = n_done + t;
        double entry = matrix.values[column(row) * matrix.n + x];
        for (int b = 0; b < n_done; ++b) entry -= l[b] * factor.rest(b, row, b);
        l_of_candidate[t] = entry * inverse;
        double rest = factor.rest(n_done, row, row) - entry * l_of_candidate[t];
        for (int b = 0; b < t; ++b) {
            double below = factor.rest(n_done, row, n_done + b) - entry * l_of_candidate[b];
            for (int c = 0; c < b; ++c) below -= v[c] * l_left[b][c];
            v[b] = below;
            l_left[t][b] = below * inverses[b];
            rest -= below * l_left[t][b];
        }
        if (row < k) {
            inverses[t] = inverse_of(rest, matrix.values[column(row) * matrix.n + column(row)]);
            if (matrix.is_bayesian) pivots += log_of_pivot(rest, matrix.floors[column(row)]);
        } else {
            residual = log_of_pivot(rest, matrix.floors[its.child]);
        }
    }
    return its.constant - its.slope * residual - 0.5 * pivots;
}

// `out` has a row for each family where all scores are wanted; otherwise improvements are noted.
template <int most>
__device__ void gaussian_candidates(const GaussianMatrix &matrix, const GaussianFamily *families, int m, double *work,
                                    double *out, const Place &place) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;
    const GaussianFamily &its = families[f];
    if (x >= matrix.n || x == its.child || is_member(its.parents, its.n_parents, x)) return;
    const double score = gaussian_with<most>(matrix, its, Factor(work, f, m), x);
    if (out) {
        out[f * (Long)matrix.n + x] = score;
    } else {
        note(place, score, f, x);
    }
}

#define GAUSSIAN_CANDIDATES(most)                                                                                      \
    extern "C" __global__ void gaussian_candidates_##most(const GaussianMatrix matrix, const GaussianFamily *families, \
                                                          int m, double *work, double *out, const Place place) {       \
        gaussian_candidates<most>(matrix, families, m, work, out, place);                                              \
    }
GAUSSIAN_CANDIDATES(0)
GAUSSIAN_CANDIDATES(2)
GAUSSIAN_CANDIDATES(4)
GAUSSIAN_CANDIDATES(8)
GAUSSIAN_CANDIDATES(16)
