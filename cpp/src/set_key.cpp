#include "arcwise/set_key.hpp"

namespace arcwise {
namespace {

// splitmix64 (Steele, Lea & Flood 2014): a fixed stream, so that runs are alike.
class Stream {
  public:
    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    SetKey next_key() noexcept {
        const std::uint64_t low = next();
        return {low, next()};
    }

  private:
    std::uint64_t state_ = 0;
};

} // namespace

SetKeys::SetKeys(std::size_t n_variables) : members_(n_variables) {
    Stream stream;
    empty_ = stream.next_key();
    for (SetKey &member : members_) {
        member = stream.next_key();
    }
}

} // namespace arcwise
