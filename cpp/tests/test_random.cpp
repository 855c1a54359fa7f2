#include "arcwise/random.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

using namespace arcwise;

// From the authors' program in C (Vigna, splitmix64.c).
TEST_CASE("SplitMix draws what the published program does") {
    SplitMix from_zero(0);
    for (const std::uint64_t expected : {0xe220'a839'7b1d'cdafU, 0x6e78'9e6a'a1b9'65f4U, 0x06c4'5d18'8009'454fU}) {
        CHECK(from_zero.next() == expected);
    }
    SplitMix stream(1'234'567);
    for (const std::uint64_t expected : {6'457'827'717'110'365'317U, 3'203'168'211'198'807'973U}) {
        CHECK(stream.next() == expected);
    }
    CHECK(mixed(1'234'567) == 6'457'827'717'110'365'317U);
}

TEST_CASE("every order comes up as often when values are shuffled") {
    Random random(1);
    std::map<std::vector<int>, int> seen;
    for (int i = 0; i < 24'000; ++i) {
        std::vector<int> values{1, 2, 3, 4};
        random.shuffle(values);
        ++seen[values];
    }
    CHECK(seen.size() == 24);
    for (const auto &[order, times] : seen) {
        CHECK(times > 1000 - 160); // five standard deviations
        CHECK(times < 1000 + 160);
    }
}
