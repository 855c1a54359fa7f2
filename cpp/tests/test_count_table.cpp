#include "arcwise/count_table.hpp"

#include "testing.hpp"

using namespace arcwise;
using testing::near;

TEST(a_table_equals_its_function_beyond_its_entries) {
    const CountTable<double> squares(10, [](double n) { return n * n; });
    for (const std::uint32_t asked : {0U, 3U, 10U, 1000U}) {
        const CountTable<double>::Values values = squares.up_to(asked);
        for (const std::uint32_t n : {0U, 3U, 3U, 10U, 11U, 1000000U}) {
            CHECK(values(n) == static_cast<double>(n) * n);
        }
    }
}

TEST(steps_add_up_to_the_function) {
    const auto function = [](double n) { return log_gamma(n + 0.3) - log_gamma(0.3); };
    const CountTable<double> table(70000, function, [](double n) { return std::log(n + 0.3); });
    for (const std::uint32_t n : {0U, 1U, 2U, 1000U, 65535U, 65536U, 70000U}) {
        CHECK(near(table.up_to(n)(n), function(n), 1e-14));
    }
}

// C(n, k) by hand: C(1, k) = k; C(2, 2) = 1 + 1 + 2/4; C(2, 3) = 3 + 3 · 2/4; C(3, 2) = 2 + 2 · 3 · (1/3)(2/3)².
TEST(regrets_equal_hand_computation) {
    CHECK(near(log_multinomial_regret(0, 5), 0.0));
    CHECK(near(log_multinomial_regret(7, 1), 0.0));
    CHECK(near(log_multinomial_regret(1, 4), std::log(4.0)));
    CHECK(near(log_multinomial_regret(2, 2), std::log(2.5)));
    CHECK(near(log_multinomial_regret(2, 3), std::log(4.5)));
    CHECK(near(log_multinomial_regret(3, 2), std::log(2.0 + 8.0 / 9.0)));
}

TEST(the_approximated_regret_continues_the_recurrence) {
    for (const double n : {100.0, 5000.0, 400000.0}) {
        const double exact = log_multinomial_regret(n, 65536);
        const double approximate = log_multinomial_regret(n, 65537);
        CHECK(approximate > exact);
        CHECK(near(approximate, exact, 1e-4));
    }
}
