// Sets of variables as random numbers.
#pragma once

#include "arcwise/table_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

// A set as 128 random bits: the exclusive or of one random number per member, so that a set's key does not depend on
// its order and one more member is one more operation. Two different sets share a key with probability 2^-128.
struct SetKey {
    std::uint64_t low;
    std::uint64_t high;

    friend bool operator==(const SetKey &, const SetKey &) noexcept = default;
    friend SetKey operator^(const SetKey &a, const SetKey &b) noexcept { return {a.low ^ b.low, a.high ^ b.high}; }
};

struct SetKeyHash {
    [[nodiscard]] std::size_t operator()(const SetKey &key) const noexcept { return key.low; }
};

class SetKeys {
  public:
    explicit SetKeys(std::size_t n_variables);

    [[nodiscard]] SetKey member(Variable variable) const noexcept { return members_[variable]; }

    template <class Member> [[nodiscard]] SetKey of(std::span<const Member> set) const noexcept {
        SetKey all = empty_;
        for (const Member member : set) {
            all = all ^ members_[member];
        }
        return all;
    }

  private:
    SetKey empty_;
    std::vector<SetKey> members_;
};

} // namespace arcwise
