// What improves the families of a batch, counted with bit planes.
#include "arcwise/best_first.hpp"
#include "arcwise/check.hpp"
#include "arcwise/counting_engine.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace arcwise {
namespace {

// A few families meet a block of planes while it is in the first caches.
constexpr std::size_t families_at_once = 8;
constexpr std::size_t candidates_at_once = 64;
constexpr std::size_t blocks_between_polls = 8;
// What a worker takes at a time, at least, where there are few families.
constexpr double worth_a_part = 2e4; // nanoseconds

} // namespace

// One part of the work: some families of a batch with some of the candidates.
class PlaneImprovements {
  public:
    PlaneImprovements(const CountingEngine &engine, std::span<const Family> families)
        : engine_(engine), planes_(engine.counter_.planes()), score_(*engine.score_) {
        for (const Family &family : families) {
            families_.emplace_back(*this, family);
        }
    }

    // Looks at the candidates from `begin` to `end`. False when the budget ended it early.
    bool look(Variable begin, Variable end, const Budget *budget) {
        std::size_t n_blocks = 0;
        while (begin < end) {
            if (n_blocks++ % blocks_between_polls == 0 && budget != nullptr && budget->exhausted()) {
                return false;
            }
            const Variable next = std::min<Variable>(end, begin + candidates_at_once);
            list_planes(begin, next);
            for (Counted &family : families_) {
                count(family, begin, next);
            }
            begin = next;
        }
        return true;
    }

    [[nodiscard]] double own(std::size_t i) const noexcept { return families_[i].own; }
    [[nodiscard]] std::vector<ScoredVariable> &found(std::size_t i) noexcept { return families_[i].found; }

  private:
    // Of candidates with so many states.
    struct Terms {
        std::size_t states;
        ScoreTerms all;
        ScoreTable::Values cell;
        ScoreTable::Values row;
    };

    struct Counted {
        Counted(const PlaneImprovements &of, const Family &its_family)
            : family(its_family), r(of.engine_.counter_.arity(its_family.child)), own(of.engine_.score(its_family)) {
            of.planes_.family_masks(family.child, family.parents, nullptr, masks);
            of.planes_.count(masks, totals);
            for (std::size_t row = 0; row < totals.size(); row += r) {
                std::uint32_t in_row = 0;
                for (std::size_t k = 0; k < r; ++k) {
                    in_row += totals[row + k];
                }
                largest = std::max(largest, in_row);
            }
        }

        Family family;
        std::size_t r;
        double own;
        Masks masks{};
        std::vector<std::uint32_t> totals{};
        std::uint32_t largest = 0;
        std::vector<Terms> terms{};
        std::vector<ScoredVariable> found{};
    };

    // All states but the last: what these leave over is its.
    void list_planes(Variable begin, Variable end) {
        listed_.clear();
        for (Variable x = begin; x < end; ++x) {
            for (std::size_t state = 0; state + 1 < engine_.counter_.arity(x); ++state) {
                listed_.push_back(planes_.plane(x, state));
            }
        }
    }

    // The planes of a candidate's other states share out the rows of each mask, so that the last mask needs no
    // counting: it has what the others leave of a plane.
    void count(Counted &counted, Variable begin, Variable end) {
        const std::size_t n_masks = counted.totals.size();
        const std::size_t n_counted = n_masks - 1;
        raw_.resize(listed_.size() * n_counted);
        if (n_counted > 0) { // a child of one state and no parents has one mask
            planes_.kernels().and_popcounts(counted.masks.bits.data(), n_counted, listed_.data(), listed_.size(),
                                            planes_.words(), raw_.data());
        }
        const std::uint32_t *raw = raw_.data();
        const double least = counted.own + engine_.rounding();
        for (Variable x = begin; x < end; ++x) {
            const std::size_t states = engine_.counter_.arity(x);
            const std::uint32_t *const of_x = raw;
            raw += (states - 1) * n_counted;
            if (states == 1 || x == counted.family.child ||
                std::ranges::find(counted.family.parents, x) != counted.family.parents.end()) {
                continue; // one state tells nothing
            }
            const Terms &terms = terms_of(counted, states);
            const std::int64_t sum =
                states == 2 ? sum_for_two(counted, x, of_x, terms) : sum_for_any(counted, x, of_x, terms);
            const double score = terms.all.constant + score_.nats(sum);
            if (score > least) {
                ARCWISE_ASSERT(score ==
                               engine_.score({counted.family.child, with_one_more(counted.family.parents, x)}));
                counted.found.push_back({score, x});
            }
        }
    }

    const Terms &terms_of(Counted &counted, std::size_t states) const {
        const auto known = std::ranges::find(counted.terms, states, &Terms::states);
        if (known != counted.terms.end()) {
            return *known;
        }
        const ScoreTerms all = score_.terms(engine_.shape_with(counted.family, states), 0);
        return counted.terms.emplace_back(
            Terms{states, all, all.cell->up_to(counted.largest), all.row->up_to(counted.largest)});
    }

    // Both rows of each configuration, with the candidate in its first state and in its second. So common that no
    // table is made.
    std::int64_t sum_for_two(const Counted &counted, Variable x, const std::uint32_t *raw, const Terms &terms) const {
        const ScoreTable::Values cell = terms.cell;
        const ScoreTable::Values row = terms.row;
        const std::size_t n_masks = counted.totals.size();
        std::uint32_t left = planes_.rows_in(x, 0);
        std::uint64_t sum = 0; // may go beyond 64 bits on the way, and comes back
        const std::uint32_t *totals = counted.totals.data();
        for (std::size_t m = 0; m < n_masks;) {
            std::uint32_t in_first = 0;
            std::uint32_t in_second = 0;
            for (const std::size_t end = m + counted.r; m < end; ++m) {
                const std::uint32_t first = m + 1 < n_masks ? raw[m] : left;
                const std::uint32_t second = totals[m] - first;
                left -= first;
                in_first += first;
                in_second += second;
                sum += static_cast<std::uint64_t>(cell(first)) + static_cast<std::uint64_t>(cell(second));
            }
            sum += static_cast<std::uint64_t>(row(in_first)) + static_cast<std::uint64_t>(row(in_second));
        }
        return static_cast<std::int64_t>(sum);
    }

    std::int64_t sum_for_any(const Counted &counted, Variable x, const std::uint32_t *raw, const Terms &terms) {
        const std::size_t n_masks = counted.totals.size();
        const std::size_t states = engine_.counter_.arity(x);
        table_.resize(states * n_masks);
        std::uint32_t *last = table_.data() + (states - 1) * n_masks;
        std::ranges::copy(counted.totals, last);
        for (std::size_t state = 0; state + 1 < states; ++state, raw += n_masks - 1) {
            std::uint32_t *block = table_.data() + state * n_masks;
            std::uint32_t left = planes_.rows_in(x, state);
            for (std::size_t m = 0; m < n_masks; ++m) {
                block[m] = m + 1 < n_masks ? raw[m] : left;
                left -= block[m];
                last[m] -= block[m];
            }
        }
        return sum_of_terms(table_, counted.r, counted.largest, terms.all);
    }

    const CountingEngine &engine_;
    const BitPlanes &planes_;
    const Score &score_;
    std::vector<Counted> families_;
    std::vector<const std::uint64_t *> listed_;
    std::vector<std::uint32_t> raw_;
    std::vector<std::uint32_t> table_;
};

namespace {

// A part of a batch by planes: which families, which candidates, and what was found for each.
struct Part {
    std::size_t first;
    std::size_t count;
    Variable begin;
    Variable end;
    std::vector<double> own{};
    std::vector<std::vector<ScoredVariable>> found{};
    bool is_complete = false;
};

// Groups of families with all candidates; where that would leave workers without work, with a part of these each.
std::vector<Part> parts_of(std::size_t n_families, std::size_t n, double cost_of_one, std::size_t n_workers) {
    const std::size_t groups = (n_families + families_at_once - 1) / families_at_once;
    const std::size_t per_worker = n_workers == 1 ? 1 : 4;
    const auto worth = static_cast<std::size_t>(
        cost_of_one * static_cast<double>(n * std::min(n_families, families_at_once)) / worth_a_part);
    const std::size_t ranges =
        std::clamp<std::size_t>(per_worker * n_workers / groups, 1, std::max<std::size_t>(1, worth));
    const std::size_t width =
        ((n + ranges - 1) / ranges + candidates_at_once - 1) / candidates_at_once * candidates_at_once;
    std::vector<Part> parts;
    for (std::size_t first = 0; first < n_families; first += families_at_once) {
        for (std::size_t begin = 0; begin < n; begin += width) {
            parts.push_back({first, std::min(families_at_once, n_families - first), static_cast<Variable>(begin),
                             static_cast<Variable>(std::min(n, begin + width))});
        }
    }
    return parts;
}

// The parts of a family come in the order of their candidates.
void put_together(std::span<Part> parts, std::span<Improvements *const> answers) {
    std::vector<std::vector<ScoredVariable>> found(answers.size());
    std::vector<bool> is_complete(answers.size(), true);
    for (Part &part : parts) {
        for (std::size_t i = 0; i < part.count; ++i) {
            const std::size_t at = part.first + i;
            is_complete[at] = is_complete[at] && part.is_complete;
            if (part.is_complete) {
                answers[at]->own = part.own[i];
                found[at].insert(found[at].end(), part.found[i].begin(), part.found[i].end());
            }
        }
    }
    for (std::size_t at = 0; at < answers.size(); ++at) {
        Improvements &answer = *answers[at];
        if (!is_complete[at]) {
            answer.own = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        sort_best_first(found[at]);
        for (const auto &[score, variable] : found[at]) {
            answer.scores.push_back(score);
            answer.variables.push_back(variable);
        }
    }
}

} // namespace

bool CountingEngine::improvements(std::span<const Family> batch, std::span<Improvements> answers, Team &team,
                                  const Budget *budget) const {
    std::vector<Family> by_planes;
    std::vector<Family> others;
    std::vector<Improvements *> answers_by_planes;
    std::vector<Improvements *> other_answers;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const bool suits =
            !score_->needs_observed_configurations() && counter_.suits_planes(batch[i].child, batch[i].parents);
        (suits ? by_planes : others).push_back(batch[i]);
        (suits ? answers_by_planes : other_answers).push_back(&answers[i]);
    }
    std::vector<Improvements> found(others.size());
    const bool are_complete = ScoreEngine::improvements(others, found, team, budget);
    for (std::size_t i = 0; i < found.size(); ++i) {
        *other_answers[i] = std::move(found[i]);
    }
    return improve_by_planes(by_planes, answers_by_planes, team, budget) && are_complete;
}

bool CountingEngine::improve_by_planes(std::span<const Family> families, std::span<Improvements *const> answers,
                                       Team &team, const Budget *budget) const {
    if (families.empty()) {
        return true;
    }
    const double cost_of_one = 1e9 * seconds_per_addition(families.front().parents.size());
    std::vector<Part> parts = parts_of(families.size(), n_variables(), cost_of_one, team.n_workers());
    const auto size = static_cast<double>(parts.front().count * (parts.front().end - parts.front().begin));
    team.run(parts.size(), cost_of_one * size, [&](std::size_t, std::size_t i) {
        Part &part = parts[i];
        if (budget != nullptr && budget->exhausted()) {
            return;
        }
        PlaneImprovements search(*this, families.subspan(part.first, part.count));
        part.is_complete = search.look(part.begin, part.end, budget);
        for (std::size_t k = 0; k < part.count; ++k) {
            part.own.push_back(search.own(k));
            part.found.push_back(std::move(search.found(k)));
        }
    });
    put_together(parts, answers);
    return std::ranges::all_of(parts, &Part::is_complete);
}

} // namespace arcwise
