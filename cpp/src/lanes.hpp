// Several numbers side by side, which one operation takes at a time. Where the compiler has vectors (g++ and clang),
// they are that; elsewhere, or with ARCWISE_PLAIN_LANES, an array with the same operators, which rounds each number as
// they do. Files that are compiled with different instructions include it, none of whose functions another one may use:
// hence the unnamed namespace.
#pragma once

#include <cstddef>
#include <type_traits>

#if defined(__GNUC__)
#define ARCWISE_INLINE [[gnu::always_inline]] inline
#elif defined(_MSC_VER)
#define ARCWISE_INLINE __forceinline
#else
#define ARCWISE_INLINE inline
#endif

namespace {

// Some of them; those that lie among other numbers of an array, aligned to their size; and those that lie anywhere
// there. One is the number itself.
template <class T, std::size_t N> struct VectorTypes;

template <class T> struct VectorTypes<T, 1> {
    using Some = T;
    using Aligned = T;
    using Anywhere = T;
};

#if defined(__GNUC__) && !defined(ARCWISE_PLAIN_LANES)

template <class T, std::size_t N> struct VectorTypes {
    using Some [[gnu::vector_size(N * sizeof(T))]] = T;
    using Aligned [[gnu::vector_size(N * sizeof(T)), gnu::may_alias]] = T;
    using Anywhere [[gnu::vector_size(N * sizeof(T)), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};

// What one instruction takes.
#if defined(__AVX512F__)
template <class T> constexpr std::size_t widest = 64 / sizeof(T);
#elif defined(__AVX2__)
template <class T> constexpr std::size_t widest = 32 / sizeof(T);
#else
template <class T> constexpr std::size_t widest = 16 / sizeof(T);
#endif

#else

template <class T> constexpr std::size_t widest = 1;

#endif

template <class V> ARCWISE_INLINE V if_greater(const V &a, const V &b, const V &yes, const V &no) {
    return a > b ? yes : no; // for each lane
}

// More lanes than one instruction takes, in parts that it does: g++ 12 takes such vectors apart through memory.
template <class T, std::size_t N> class LaneParts {
  public:
    using Part = VectorTypes<T, widest<T>>::Aligned;
    static constexpr std::size_t n_parts = N / widest<T>;
    static_assert(N % widest<T> == 0);

    Part &operator[](std::size_t part) { return parts_[part]; }
    const Part &operator[](std::size_t part) const { return parts_[part]; }

    ARCWISE_INLINE friend LaneParts operator+(const LaneParts &a, const LaneParts &b) {
        return made([&](std::size_t i) { return a[i] + b[i]; });
    }
    ARCWISE_INLINE friend LaneParts operator-(const LaneParts &a, const LaneParts &b) {
        return made([&](std::size_t i) { return a[i] - b[i]; });
    }
    ARCWISE_INLINE friend LaneParts operator*(const LaneParts &a, const LaneParts &b) {
        return made([&](std::size_t i) { return a[i] * b[i]; });
    }
    ARCWISE_INLINE friend LaneParts operator/(const LaneParts &a, const LaneParts &b) {
        return made([&](std::size_t i) { return a[i] / b[i]; });
    }
    ARCWISE_INLINE friend LaneParts operator+(const LaneParts &a, T b) {
        return made([&](std::size_t i) { return a[i] + b; });
    }
    ARCWISE_INLINE friend LaneParts operator-(const LaneParts &a, T b) {
        return made([&](std::size_t i) { return a[i] - b; });
    }
    ARCWISE_INLINE friend LaneParts operator*(const LaneParts &a, T b) {
        return made([&](std::size_t i) { return a[i] * b; });
    }
    ARCWISE_INLINE friend LaneParts operator/(T a, const LaneParts &b) {
        return made([&](std::size_t i) { return a / b[i]; });
    }
    ARCWISE_INLINE friend LaneParts operator|(const LaneParts &a, T b) {
        return made([&](std::size_t i) { return a[i] | b; });
    }
    ARCWISE_INLINE friend LaneParts operator<<(const LaneParts &a, int by) {
        return made([&](std::size_t i) { return a[i] << by; });
    }
    ARCWISE_INLINE friend LaneParts operator>>(const LaneParts &a, int by) {
        return made([&](std::size_t i) { return a[i] >> by; });
    }
    ARCWISE_INLINE LaneParts &operator+=(const LaneParts &other) {
        return set([&](std::size_t i) { return parts_[i] + other[i]; });
    }
    ARCWISE_INLINE LaneParts &operator-=(const LaneParts &other) {
        return set([&](std::size_t i) { return parts_[i] - other[i]; });
    }
    ARCWISE_INLINE LaneParts &operator*=(const LaneParts &other) {
        return set([&](std::size_t i) { return parts_[i] * other[i]; });
    }

    ARCWISE_INLINE friend LaneParts if_greater(const LaneParts &a, const LaneParts &b, const LaneParts &yes,
                                               const LaneParts &no) {
        return made([&](std::size_t i) { return if_greater(a[i], b[i], yes[i], no[i]); });
    }

  private:
    template <class Make> ARCWISE_INLINE static LaneParts made(const Make &make) {
        LaneParts lanes;
        lanes.set(make);
        return lanes;
    }

    // Part by part: g++ 12 copies the whole in pieces of 16 bytes, which the next load of a part has to wait for.
    template <class Make> ARCWISE_INLINE LaneParts &set(const Make &make) {
        for (std::size_t i = 0; i < n_parts; ++i) {
            parts_[i] = make(i);
        }
        return *this;
    }

    Part parts_[n_parts];
};

template <class T, std::size_t N> struct PartTypes {
    using Some = LaneParts<T, N>;
    using Aligned = Some;
    using Anywhere = Some;
};

template <class T, std::size_t N>
struct LaneTypes : std::conditional_t<(N == 1 || N <= widest<T>), VectorTypes<T, N>, PartTypes<T, N>> {};

} // namespace
