#include "arcwise/count_table.hpp"

#include "near.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace arcwise;
using testing::near;

TEST_CASE("a table equals its function beyond its entries") {
    const CountTable<double> squares(10, [](double n) { return n * n; });
    for (const std::uint32_t asked : {0U, 3U, 10U, 1000U}) {
        const CountTable<double>::Values values = squares.up_to(asked);
        for (const std::uint32_t n : {0U, 3U, 3U, 10U, 11U, 1000000U}) {
            CHECK(values(n) == static_cast<double>(n) * n);
        }
    }
}

TEST_CASE("steps add up to the function") {
    const auto function = [](double n) { return log_gamma(n + 0.3) - log_gamma(0.3); };
    const CountTable<double> table(70000, function, [](double n) { return std::log(n + 0.3); });
    for (const std::uint32_t n : {0U, 1U, 2U, 1000U, 65535U, 65536U, 70000U}) {
        CHECK(near(table.up_to(n)(n), function(n), 1e-14));
    }
}

TEST_CASE("whole numbers are the same whoever asked first") {
    const auto function = [](double n) { return log_gamma(n + 0.3) - log_gamma(0.3); };
    const auto step = [](double n) { return std::log(n + 0.3); };
    const double per_one = 0x1p40;
    using Table = CountTable<std::int64_t>;
    const Table at_once(1000, function, step, per_one);
    const Table bit_by_bit(1000, function, step, per_one);
    const auto all = at_once.up_to(1000);
    for (const std::uint32_t n : {1U, 2U, 3U, 70U, 400U, 999U, 1000U}) {
        CHECK(bit_by_bit.up_to(n)(n) == all(n));
        CHECK(near(static_cast<double>(all(n)) / per_one, function(n), 1e-11));
    }
}

TEST_CASE("values on demand are computed once each") {
    int calls = 0;
    const auto function = [&](double n) {
        ++calls;
        return n;
    };
    using Table = CountTable<std::int64_t>;
    const Table table(100000, function, nullptr, 2.0, Table::Filling::on_demand);
    for (int round = 0; round < 2; ++round) {
        CHECK(table.up_to(60000)(7) == 14);
        CHECK(table.up_to(60000)(60000) == 120000);
        CHECK(table.up_to(60000)(0) == 0);
    }
    CHECK(calls == 3);
    CHECK(table.up_to(90000)(90000) == 180000); // beyond the table
}

// C(n, k) by hand: C(1, k) = k; C(2, 2) = 1 + 1 + 2/4; C(2, 3) = 3 + 3 · 2/4; C(3, 2) = 2 + 2 · 3 · (1/3)(2/3)².
TEST_CASE("regrets equal hand computation") {
    CHECK(near(log_multinomial_regret(0, 5), 0.0));
    CHECK(near(log_multinomial_regret(7, 1), 0.0));
    CHECK(near(log_multinomial_regret(1, 4), std::log(4.0)));
    CHECK(near(log_multinomial_regret(2, 2), std::log(2.5)));
    CHECK(near(log_multinomial_regret(2, 3), std::log(4.5)));
    CHECK(near(log_multinomial_regret(3, 2), std::log(2.0 + 8.0 / 9.0)));
}

TEST_CASE("the approximated regret continues the recurrence") {
    for (const double n : {100.0, 5000.0, 400000.0}) {
        const double exact = log_multinomial_regret(n, 65536);
        const double approximate = log_multinomial_regret(n, 65537);
        CHECK(approximate > exact);
        CHECK(near(approximate, exact, 1e-4));
    }
}

// Σ_j C(n, j): by the recurrence in long double, from C(n, 1) = 1 and C(n, 2) by its definition.
TEST_CASE("regrets equal the recurrence for any numbers") {
    for (const int n : {1, 2, 5, 30, 200}) {
        long double before = 1.0L;
        long double now = 0.0L;
        long double choices = 1.0L; // n over h
        for (int h = 0; h <= n; ++h) {
            const long double p = static_cast<long double>(h) / n;
            now += choices * std::pow(p, h) * std::pow(1.0L - p, n - h);
            choices = choices * (n - h) / (h + 1);
        }
        for (int k = 2; k <= 3000; ++k) {
            CHECK(near(log_multinomial_regret(n, k), static_cast<double>(std::log(now)), 1e-11));
            const long double next = now + static_cast<long double>(n) / (k - 1) * before;
            before = now;
            now = next;
        }
    }
}
