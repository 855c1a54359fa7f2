#include "arcwise/best_first.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

namespace arcwise {
namespace {

// Fewer are sorted by comparisons, which need no counts of digits.
constexpr std::size_t worth_digits = 128;
// Two digits of the scores sort them, but for those that share both.
constexpr unsigned bits_of_digit = 11;
constexpr std::size_t n_digits = std::size_t{1} << bits_of_digit;

bool is_before(const ScoredVariable &a, const ScoredVariable &b) noexcept {
    return a.score > b.score || (a.score == b.score && a.variable < b.variable);
}

// A whole number that is the smaller the larger the score. Both zeros are one.
std::uint64_t key_of(double score) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
    constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    return (bits & sign) != 0 ? bits : ~bits & ~sign;
}

using Places = std::array<std::uint32_t, n_digits>;

// From how often each digit occurs to where the first one of each is put.
void add_up(Places &places) noexcept {
    std::uint32_t before = 0;
    for (std::uint32_t &place : places) {
        const std::uint32_t count = place;
        place = before;
        before += count;
    }
}

void sort_by_digits(std::span<ScoredVariable> all) {
    std::uint64_t some = 0;
    std::uint64_t every = ~std::uint64_t{0};
    for (const ScoredVariable &one : all) {
        const std::uint64_t key = key_of(one.score);
        some |= key;
        every &= key;
    }
    // The first bit in which any two differ is the highest one of the two digits.
    const auto top = static_cast<unsigned>(std::bit_width(some & ~every));
    const unsigned shift = top > 2 * bits_of_digit ? top - 2 * bits_of_digit : 0;
    const auto low = [&](const ScoredVariable &one) { return (key_of(one.score) >> shift) % n_digits; };
    const auto high = [&](const ScoredVariable &one) {
        return (key_of(one.score) >> (shift + bits_of_digit)) % n_digits;
    };
    Places places_by_low{};
    Places places_by_high{};
    for (const ScoredVariable &one : all) {
        ++places_by_low[low(one)];
        ++places_by_high[high(one)];
    }
    add_up(places_by_low);
    add_up(places_by_high);
    const auto room = std::make_unique_for_overwrite<ScoredVariable[]>(all.size());
    for (const ScoredVariable &one : all) {
        room[places_by_low[low(one)]++] = one;
    }
    for (const ScoredVariable &one : std::span(room.get(), all.size())) {
        all[places_by_high[high(one)]++] = one;
    }
    for (auto begin = all.begin(); begin != all.end();) {
        const std::uint64_t both = key_of(begin->score) >> shift;
        auto end = begin + 1;
        while (end != all.end() && key_of(end->score) >> shift == both) {
            ++end;
        }
        if (end - begin > 1) {
            std::sort(begin, end, is_before);
        }
        begin = end;
    }
}

} // namespace

void sort_best_first(std::span<ScoredVariable> all) {
    if (all.size() < worth_digits || all.size() > UINT32_MAX) {
        std::ranges::sort(all, is_before);
    } else {
        sort_by_digits(all);
    }
}

} // namespace arcwise
