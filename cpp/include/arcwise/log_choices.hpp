// How many sets of parents there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace arcwise {

// ln C(n − 1, k) by k, which is the same for k and n − 1 − k: no rounding may tell them apart.
[[nodiscard]] inline std::vector<double> log_choices(std::size_t n_variables) {
    std::vector<double> choices(std::max<std::size_t>(1, n_variables));
    const std::size_t others = choices.size() - 1;
    double sum = 0.0;
    for (std::size_t k = 0; 2 * k <= others; ++k) {
        choices[k] = choices[others - k] = sum;
        sum += std::log(static_cast<double>(others - k) / static_cast<double>(k + 1));
    }
    return choices;
}

} // namespace arcwise
