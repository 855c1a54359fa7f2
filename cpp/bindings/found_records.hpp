// Improvements that were found on a card: in any order, as its kernels write them.
#pragma once

#include "arcwise/best_first.hpp"
#include "arcwise/team.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace arcwise::bindings {

// Records of 16 bytes: a score, the place of the family in its batch, and the variable.
class FoundRecords {
  public:
    FoundRecords(std::span<const std::uint8_t> bytes, std::size_t n_families);

    [[nodiscard]] std::size_t size() const noexcept { return n_; }

    // Takes the improvements of a family, best first, and how many those of the families before it are. It is called
    // from several threads.
    using Take = std::function<void(std::size_t family, std::size_t begin, std::span<ScoredVariable> its)>;

    // Gives those of each family to `take`, and returns where they end.
    [[nodiscard]] std::vector<std::size_t> sorted(Team &team, const Take &take) const;

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t n_;
    std::size_t n_families_;
};

} // namespace arcwise::bindings
