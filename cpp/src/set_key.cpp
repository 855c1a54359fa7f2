#include "arcwise/set_key.hpp"

#include "arcwise/random.hpp"

namespace arcwise {
namespace {

SetKey next_key(SplitMix &stream) noexcept {
    const std::uint64_t low = stream.next();
    return {low, stream.next()};
}

} // namespace

SetKeys::SetKeys(std::size_t n_variables) : members_(n_variables) {
    SplitMix stream(0); // always the same, so that runs are alike
    empty_ = next_key(stream);
    for (SetKey &member : members_) {
        member = next_key(stream);
    }
}

} // namespace arcwise
