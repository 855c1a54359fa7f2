#include "found_records.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace arcwise::bindings {
namespace {

struct Record {
    double score;
    std::int32_t family;
    std::int32_t variable;
};

// In nanoseconds, for each record: to look at it, to copy it, and to sort it among others and hand it on.
constexpr double cost_of_looking = 1.0;
constexpr double cost_of_copying = 2.0;
constexpr double cost_of_sorting = 12.0;
constexpr std::size_t least_of_part = std::size_t{1} << 15U;
constexpr std::size_t large_page = std::size_t{1} << 21U;

// Memory that is written once and given back: in large pages, where the system has them, because to get a small page
// takes longer than to fill it.
class Room {
  public:
    explicit Room(std::size_t n)
        : bytes_((n * sizeof(ScoredVariable) + large_page - 1) / large_page * large_page),
          memory_(static_cast<ScoredVariable *>(::operator new(bytes_, std::align_val_t{large_page}))) {
#if defined(__linux__)
        (void)madvise(memory_, bytes_, MADV_HUGEPAGE); // only advice: it may be refused
#endif
    }
    Room(const Room &) = delete;
    Room &operator=(const Room &) = delete;
    ~Room() { ::operator delete(memory_, std::align_val_t{large_page}); }

    [[nodiscard]] std::span<ScoredVariable> first(std::size_t n) const noexcept { return {memory_, n}; }

  private:
    std::size_t bytes_;
    ScoredVariable *memory_;
};

} // namespace

FoundRecords::FoundRecords(std::span<const std::uint8_t> bytes, std::size_t n_families)
    : bytes_(bytes), n_(bytes.size() / sizeof(Record)), n_families_(n_families) {
    if (bytes.size() % sizeof(Record) != 0) {
        throw std::invalid_argument("improvements are records of 16 bytes");
    }
}

std::vector<std::size_t> FoundRecords::sorted(Team &team, const Take &take) const {
    const std::size_t n_parts = std::clamp<std::size_t>(n_ / least_of_part, 1, team.n_workers());
    const std::size_t size_of_part = (n_ + n_parts - 1) / n_parts;
    // Of each part and family: first how many there are, then where the next one is put.
    std::vector<std::size_t> numbers(n_parts * n_families_, 0);
    const auto each_part = [&](double cost, const auto &work) {
        team.run(n_parts, cost * static_cast<double>(size_of_part), [&](std::size_t, std::size_t part) {
            const std::span its = std::span(numbers).subspan(part * n_families_, n_families_);
            for (std::size_t i = part * size_of_part; i < std::min(n_, (part + 1) * size_of_part); ++i) {
                Record one;
                std::memcpy(&one, bytes_.data() + i * sizeof(Record), sizeof(Record));
                work(one, its);
            }
        });
    };
    each_part(cost_of_looking, [&](const Record &one, std::span<std::size_t> counts) {
        if (one.family < 0 || static_cast<std::size_t>(one.family) >= n_families_) {
            throw std::invalid_argument("an improvement is that of a family that is not in the batch");
        }
        ++counts[static_cast<std::size_t>(one.family)];
    });
    std::vector<std::size_t> ends;
    std::size_t before = 0;
    for (std::size_t f = 0; f < n_families_; ++f) {
        for (std::size_t part = 0; part < n_parts; ++part) {
            before += std::exchange(numbers[part * n_families_ + f], before);
        }
        ends.push_back(before);
    }
    std::vector<ScoredVariable> small;
    std::optional<Room> large;
    if (n_ * sizeof(ScoredVariable) > large_page) {
        large.emplace(n_);
    } else {
        small.resize(n_);
    }
    const std::span all = large ? large->first(n_) : std::span(small);
    each_part(cost_of_copying, [&](const Record &one, std::span<std::size_t> next) {
        all[next[static_cast<std::size_t>(one.family)]++] = {one.score, static_cast<Variable>(one.variable)};
    });
    const double cost = cost_of_sorting * static_cast<double>(n_) / static_cast<double>(n_families_ + 1);
    team.split(n_families_, cost, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t f = first; f < last; ++f) {
            const std::size_t begin = f == 0 ? 0 : ends[f - 1];
            const std::span its = all.subspan(begin, ends[f] - begin);
            sort_best_first(its);
            take(f, begin, its);
        }
    });
    return ends;
}

} // namespace arcwise::bindings
