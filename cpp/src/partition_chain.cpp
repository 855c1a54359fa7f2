#include "arcwise/partition_chain.hpp"

#include "arcwise/check.hpp"
#include "arcwise/log_sum.hpp"
#include "arcwise/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace arcwise {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

template <class Use> void for_each_bit(Mask mask, Use &&use) {
    for (Mask rest = mask; rest != 0; rest &= rest - 1) {
        use(static_cast<std::size_t>(std::countr_zero(rest)));
    }
}

// A variable that has a given one among its candidates, at this place.
struct Reader {
    Variable child;
    Mask as;
};

[[nodiscard]] std::vector<std::vector<Reader>> readers_of(std::span<const CandidateSums> sums) {
    std::vector<std::vector<Reader>> readers(sums.size());
    for (Variable child = 0; child < sums.size(); ++child) {
        const std::vector<Variable> &candidates = sums[child].candidates();
        for (std::size_t place = 0; place < candidates.size(); ++place) {
            readers[candidates[place]].push_back({child, Mask{1} << place});
        }
    }
    return readers;
}

// Sets of variables as bits.
class Rows {
  public:
    explicit Rows(std::size_t n) : n_words_((n + 63) / 64), words_(n * n_words_, 0) {}

    [[nodiscard]] std::span<std::uint64_t> operator[](std::size_t row) noexcept {
        return std::span(words_).subspan(row * n_words_, n_words_);
    }
    [[nodiscard]] std::span<const std::uint64_t> operator[](std::size_t row) const noexcept {
        return std::span(words_).subspan(row * n_words_, n_words_);
    }
    [[nodiscard]] std::size_t n_words() const noexcept { return n_words_; }
    void clear() noexcept { std::ranges::fill(words_, 0); }

  private:
    std::size_t n_words_;
    std::vector<std::uint64_t> words_;
};

[[nodiscard]] bool has(std::span<const std::uint64_t> row, std::size_t v) noexcept {
    return (row[v / 64] >> v % 64 & 1) != 0;
}
void flip(std::span<std::uint64_t> row, std::size_t v) noexcept { row[v / 64] ^= std::uint64_t{1} << v % 64; }
void put(std::span<std::uint64_t> row, std::size_t v) noexcept { row[v / 64] |= std::uint64_t{1} << v % 64; }

// The parents of every variable, with the children that follow from them.
class Graph {
  public:
    explicit Graph(std::span<const CandidateSums> sums)
        : sums_(sums), parents_(sums.size(), 0), children_(sums.size()) {}

    [[nodiscard]] const ParentMasks &parents() const noexcept { return parents_; }
    [[nodiscard]] Mask parents(Variable v) const noexcept { return parents_[v]; }
    [[nodiscard]] std::size_t n_arcs() const noexcept { return n_arcs_; }

    void set_parents(Variable v, Mask parents) noexcept {
        for_each_bit(parents_[v] ^ parents,
                     [&](std::size_t place) { flip(children_[sums_[v].candidates()[place]], v); });
        n_arcs_ += static_cast<std::size_t>(std::popcount(parents));
        n_arcs_ -= static_cast<std::size_t>(std::popcount(parents_[v]));
        parents_[v] = parents;
    }

    // A variable and what is below it.
    [[nodiscard]] std::vector<std::uint64_t> descendants(Variable v) {
        std::vector<std::uint64_t> found(children_.n_words(), 0);
        put(found, v);
        waiting_.assign(1, v);
        while (!waiting_.empty()) {
            const std::span<const std::uint64_t> row = std::as_const(children_)[waiting_.back()];
            waiting_.pop_back();
            for (std::size_t word = 0; word < row.size(); ++word) {
                for (std::uint64_t fresh = row[word] & ~found[word]; fresh != 0; fresh &= fresh - 1) {
                    waiting_.push_back(
                        static_cast<Variable>(word * 64 + static_cast<std::size_t>(std::countr_zero(fresh))));
                }
                found[word] |= row[word];
            }
        }
        return found;
    }

    // The candidates of v that are not in a set.
    [[nodiscard]] Mask outside(Variable v, std::span<const std::uint64_t> set) const noexcept {
        const std::vector<Variable> &candidates = sums_[v].candidates();
        Mask mask = 0;
        for (std::size_t place = 0; place < candidates.size(); ++place) {
            mask |= static_cast<Mask>(!has(set, candidates[place])) << place;
        }
        return mask;
    }

    // The place of one variable among the candidates of another; `nowhere` if it is not.
    [[nodiscard]] std::size_t place_of(Variable candidate, Variable v) const noexcept {
        const std::vector<Variable> &candidates = sums_[v].candidates();
        const auto found = std::ranges::lower_bound(candidates, candidate);
        return found != candidates.end() && *found == candidate ? static_cast<std::size_t>(found - candidates.begin())
                                                                : nowhere;
    }

  private:
    std::span<const CandidateSums> sums_;
    ParentMasks parents_;
    Rows children_;
    std::vector<Variable> waiting_;
    std::size_t n_arcs_ = 0;
};

class Chain {
  public:
    Chain(std::span<const CandidateSums> sums, const ParentMasks &start, std::uint64_t seed)
        : sums_(sums), n_(sums.size()), readers_(readers_of(sums)), random_(seed), graph_(sums), layer_of_(n_),
          weights_(n_) {
        for (Variable v = 0; v < n_; ++v) {
            graph_.set_parents(v, start[v]);
        }
        take_partition();
    }

    void sweep(double power) {
        power_ = power;
        for (std::size_t i = 0; i < n_; ++i) {
            move(static_cast<Variable>(random_.below(n_)));
        }
        for (std::size_t i = 0; i < n_ && layers_.size() > 1; ++i) {
            swap();
        }
        draw_graph();
        for (std::size_t i = 0; i < n_; ++i) {
            if (random_.below(2) == 0) {
                draw_parents(static_cast<Variable>(random_.below(n_)));
            } else {
                reverse();
            }
        }
        take_partition();
    }

    [[nodiscard]] const ParentMasks &graph() const noexcept { return graph_.parents(); }

    [[nodiscard]] double score() const {
        double sum = 0.0;
        for (Variable v = 0; v < n_; ++v) {
            sum += sums_[v].score(graph_.parents(v));
        }
        return sum;
    }

    // Adds the probability of every arc given the partition.
    void add_arcs(std::span<double> into) const {
        std::size_t first = 0;
        for (Variable v = 0; v < n_; ++v) {
            const auto [before, last] = seen(v, layer_of_[v]);
            for_each_bit(before,
                         [&](std::size_t place) { into[first + place] += probability(v, place, before, last); });
            first += sums_[v].candidates().size();
        }
    }

  private:
    // The candidates of a variable in all layers before its own, and those in the last of these.
    struct Seen {
        Mask before;
        Mask last;
    };

    [[nodiscard]] Seen seen(Variable v, std::size_t layer) const noexcept {
        const std::vector<Variable> &candidates = sums_[v].candidates();
        Seen found{0, 0};
        for (std::size_t place = 0; place < candidates.size(); ++place) {
            const std::size_t its = layer_of_[candidates[place]]; // `nowhere` is after all
            found.before |= static_cast<Mask>(its < layer) << place;
            found.last |= static_cast<Mask>(its + 1 == layer) << place;
        }
        return found;
    }

    [[nodiscard]] double weight(Variable v, std::size_t layer, const Seen &its) const noexcept {
        return layer == 0 ? sums_[v].score(0) : sums_[v].meeting(its.last, its.before);
    }
    [[nodiscard]] double weight(Variable v) const noexcept { return weight(v, layer_of_[v], seen(v, layer_of_[v])); }

    [[nodiscard]] double probability(Variable v, std::size_t place, Mask before, Mask last) const noexcept {
        const CandidateSums &its = sums_[v];
        const double with = its.containing(place, before) - weights_[v];
        if ((last >> place & 1) != 0) {
            return std::min(1.0, std::exp(with));
        }
        constexpr double too_much = 16.0; // for what remains of a difference: the graph itself tells
        if (with > too_much) {
            return static_cast<double>(graph_.parents(v) >> place & 1);
        }
        const double elsewhere = its.containing(place, before & ~last) - weights_[v];
        return std::clamp(std::exp(with) - std::exp(elsewhere), 0.0, 1.0);
    }

    // Chooses one of several, given the logarithms of their weights.
    [[nodiscard]] std::size_t choose(std::span<double> weights) {
        const double most = std::ranges::max(weights);
        double sum = 0.0;
        for (double &one : weights) {
            one = std::exp(power_ * (one - most));
            sum += one;
        }
        double left = random_.fraction() * sum;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            left -= weights[i];
            if (left < 0.0) {
                return i;
            }
        }
        return static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin()); // by rounding
    }

    [[nodiscard]] bool accepts(double log_ratio) {
        return log_ratio >= 0.0 || random_.fraction() < std::exp(power_ * log_ratio);
    }

    // Takes a variable out and puts it back at any place. Place 2 p is in layer p, 2 p + 1 between layers p − 1 and p.
    void move(Variable v) {
        const bool was_alone = take_out(v);
        const std::size_t gap = was_alone ? layer_taken_ : nowhere;
        const std::size_t m = layers_.size();
        // Sums over the variables of a layer when v comes in this layer or later; in the last one before; in an earlier
        // one; and in a layer of its own just before.
        const std::array sums{&later_, &last_, &earlier_, &alone_};
        for (std::vector<double> *sum : sums) {
            sum->assign(m, 0.0);
        }
        for (std::size_t k = 0; k < m; ++k) {
            for (const Variable other : layers_[k]) {
                later_[k] += weights_[other];
            }
            last_[k] = earlier_[k] = later_[k];
        }
        readers_in_.assign(m, 0);
        for (const auto &[child, as] : readers_[v]) {
            const std::size_t k = layer_of_[child];
            const Seen its = seen(child, k);
            const double known = weights_[child];
            later_[k] += weight(child, k, its) - known;
            if (k > 0) {
                last_[k] += sums_[child].meeting(its.last | as, its.before | as) - known;
                earlier_[k] += sums_[child].meeting(its.last, its.before | as) - known;
            }
            alone_[k] += sums_[child].meeting(as, its.before | as);
            ++readers_in_[k];
            is_reader_[child] = 1;
        }
        if (gap < m) { // those behind see another layer now
            for (const Variable other : layers_[gap]) {
                if (is_reader_[other] == 0) {
                    const double change = weight(other) - weights_[other];
                    later_[gap] += change;
                    last_[gap] += change;
                    earlier_[gap] += change;
                }
            }
        }
        for (const Reader &reader : readers_[v]) {
            is_reader_[reader.child] = 0;
        }
        put_in(v, place_for(v), gap);
    }

    // Removes a variable from its layer, and the layer where that is left empty, which it returns.
    bool take_out(Variable v) {
        layer_taken_ = layer_of_[v];
        std::vector<Variable> &layer = layers_[layer_taken_];
        layer.erase(std::ranges::find(layer, v));
        layer_of_[v] = nowhere;
        if (!layer.empty()) {
            return false;
        }
        layers_.erase(layers_.begin() + static_cast<std::ptrdiff_t>(layer_taken_));
        number_layers(layer_taken_);
        return true;
    }

    void number_layers(std::size_t first) noexcept {
        for (std::size_t k = first; k < layers_.size(); ++k) {
            for (const Variable other : layers_[k]) {
                layer_of_[other] = k;
            }
        }
    }

    [[nodiscard]] std::size_t place_for(Variable v) {
        const std::size_t m = layers_.size();
        own_.assign(m + 1, 0.0);
        behind_.assign(m + 2, 0.0);
        for (std::size_t p = 0; p <= m; ++p) {
            own_[p] = weight(v, p, seen(v, p));
        }
        for (std::size_t k = m; k-- > 0;) {
            behind_[k] = behind_[k + 1] + earlier_[k];
        }
        places_.assign(2 * m + 1, log_of_nothing);
        double ahead = 0.0; // of the layers before p
        for (std::size_t p = 0; p <= m; ++p) {
            const auto after = [&](std::size_t k) { return k < m ? behind_[k] : 0.0; };
            if (p == m || readers_in_[p] == layers_[p].size()) {
                places_[p == m ? 2 * m : 2 * p + 1] = ahead + (p < m ? alone_[p] : 0.0) + after(p + 1) + own_[p];
            }
            if (p < m) {
                ahead += later_[p];
                places_[2 * p] = ahead + (p + 1 < m ? last_[p + 1] : 0.0) + after(p + 2) + own_[p];
            }
        }
        return choose(places_);
    }

    void put_in(Variable v, std::size_t place, std::size_t gap) {
        const std::size_t m = layers_.size();
        const std::size_t p = place / 2;
        const bool is_new = place == 2 * m || place % 2 == 1;
        if (is_new) {
            layers_.insert(layers_.begin() + static_cast<std::ptrdiff_t>(p), std::vector<Variable>{v});
            number_layers(p);
        } else {
            layers_[p].push_back(v);
            layer_of_[v] = p;
        }
        weights_[v] = weight(v);
        for (const Reader &reader : readers_[v]) {
            weights_[reader.child] = weight(reader.child);
        }
        if (gap != nowhere) { // what was behind v, and what is now
            for (const std::size_t k : {gap, gap + 1}) {
                weigh_layer(k);
            }
        }
        ARCWISE_ASSERT(is_up_to_date());
    }

    void weigh_layer(std::size_t k) noexcept {
        if (k < layers_.size()) {
            for (const Variable other : layers_[k]) {
                weights_[other] = weight(other);
            }
        }
    }

    // Two variables of neighbouring layers.
    void swap() {
        const std::size_t k = random_.below(layers_.size() - 1);
        Variable &a = layers_[k][random_.below(layers_[k].size())];
        Variable &b = layers_[k + 1][random_.below(layers_[k + 1].size())];
        changed_.clear();
        const auto change = [&](Variable v) {
            if (is_reader_[v] == 0) {
                is_reader_[v] = 1;
                changed_.push_back(v);
            }
        };
        for (const Variable v : {a, b}) {
            change(v);
            for (const Reader &reader : readers_[v]) {
                change(reader.child);
            }
        }
        std::swap(layer_of_[a], layer_of_[b]);
        double gain = 0.0;
        fresh_.clear();
        for (const Variable v : changed_) {
            is_reader_[v] = 0;
            fresh_.push_back(weight(v));
            gain += fresh_.back() - weights_[v];
        }
        if (!accepts(gain)) {
            std::swap(layer_of_[a], layer_of_[b]);
            return;
        }
        std::swap(a, b);
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            weights_[changed_[i]] = fresh_[i];
        }
        ARCWISE_ASSERT(is_up_to_date());
    }

    void draw_graph() {
        for (Variable v = 0; v < n_; ++v) {
            const auto [before, last] = seen(v, layer_of_[v]);
            graph_.set_parents(v, layer_of_[v] == 0 ? Mask{0}
                                                    : sums_[v].draw(last, before, weights_[v], random_.fraction()));
        }
    }

    void draw_parents(Variable v) {
        const Mask allowed = graph_.outside(v, graph_.descendants(v));
        graph_.set_parents(v, sums_[v].draw(0, allowed, sums_[v].within(allowed), random_.fraction()));
    }

    // Reverses an arc, and draws the parents of both ends anew.
    void reverse() {
        if (graph_.n_arcs() == 0) {
            return;
        }
        std::size_t at = random_.below(graph_.n_arcs());
        Variable j = 0;
        while (at >= static_cast<std::size_t>(std::popcount(graph_.parents(j)))) {
            at -= static_cast<std::size_t>(std::popcount(graph_.parents(j)));
            ++j;
        }
        Mask rest = graph_.parents(j);
        for (; at > 0; --at) {
            rest &= rest - 1;
        }
        const auto i_in_j = static_cast<std::size_t>(std::countr_zero(rest));
        const Variable i = sums_[j].candidates()[i_in_j];
        const std::size_t j_in_i = graph_.place_of(j, i);
        if (j_in_i == nowhere) {
            return;
        }
        const double arcs_before = static_cast<double>(graph_.n_arcs());
        const Mask parents_of_i = graph_.parents(i);
        const Mask parents_of_j = graph_.parents(j);
        graph_.set_parents(i, 0);
        graph_.set_parents(j, 0);
        std::vector<std::uint64_t> below = graph_.descendants(i);
        const Mask allowed_i = graph_.outside(i, below);
        const std::vector<std::uint64_t> below_j = graph_.descendants(j);
        const Mask allowed_j = graph_.outside(j, below_j);
        for (std::size_t word = 0; word < below.size(); ++word) {
            below[word] |= below_j[word];
        }
        const Mask free_i = graph_.outside(i, below);
        const Mask free_j = graph_.outside(j, below);
        const double forth = sums_[i].containing(j_in_i, allowed_i);
        const double rest_forth = sums_[j].within(free_j);
        const double back = sums_[j].containing(i_in_j, allowed_j);
        const double rest_back = sums_[i].within(free_i);
        if (forth != log_of_nothing && rest_forth != log_of_nothing) {
            graph_.set_parents(i, sums_[i].draw(Mask{1} << j_in_i, allowed_i, forth, random_.fraction()));
            graph_.set_parents(j, sums_[j].draw(0, free_j, rest_forth, random_.fraction()));
            const double ratio = std::log(arcs_before / static_cast<double>(graph_.n_arcs()));
            if (accepts(ratio + forth + rest_forth - back - rest_back)) {
                return;
            }
        }
        graph_.set_parents(i, parents_of_i);
        graph_.set_parents(j, parents_of_j);
    }

    // The layers of the graph: how long the longest way to a variable is.
    void take_partition() {
        std::ranges::fill(layer_of_, nowhere);
        layers_.clear();
        waiting_.clear();
        missing_.assign(n_, 0);
        for (Variable v = 0; v < n_; ++v) {
            missing_[v] = static_cast<std::size_t>(std::popcount(graph_.parents(v)));
            if (missing_[v] == 0) {
                waiting_.push_back(v);
            }
        }
        while (!waiting_.empty()) {
            for (const Variable v : waiting_) {
                layer_of_[v] = layers_.size();
            }
            layers_.push_back(std::exchange(waiting_, {}));
            for (const Variable v : layers_.back()) {
                for (const auto &[child, as] : readers_[v]) {
                    if ((graph_.parents(child) & as) != 0 && --missing_[child] == 0) {
                        waiting_.push_back(child);
                    }
                }
            }
        }
        if (std::ranges::find(layer_of_, nowhere) != layer_of_.end()) {
            throw std::invalid_argument("the graph has a cycle");
        }
        for (Variable v = 0; v < n_; ++v) {
            weights_[v] = weight(v);
        }
    }

    [[nodiscard]] bool is_up_to_date() const {
        for (Variable v = 0; v < n_; ++v) {
            if (weights_[v] != weight(v) || weights_[v] == log_of_nothing) {
                return false;
            }
        }
        return true;
    }

    std::span<const CandidateSums> sums_;
    std::size_t n_;
    std::vector<std::vector<Reader>> readers_; // by candidate
    Random random_;
    double power_ = 1.0;
    Graph graph_;
    std::vector<std::size_t> layer_of_;
    std::vector<std::vector<Variable>> layers_;
    std::vector<double> weights_; // ln of the sum over the sets of each variable that the partition allows

    // Of one move.
    std::size_t layer_taken_ = 0;
    std::vector<double> later_, last_, earlier_, alone_, own_, behind_, places_, fresh_;
    std::vector<std::size_t> readers_in_, missing_;
    std::vector<Variable> changed_, waiting_;
    std::vector<char> is_reader_ = std::vector<char>(n_, 0);
};

void check_start(std::span<const CandidateSums> sums, const ParentMasks &start) {
    if (start.size() != sums.size()) {
        throw std::invalid_argument("a graph has parents for each variable");
    }
    for (std::size_t v = 0; v < sums.size(); ++v) {
        if (start[v] > sums[v].all() || sums[v].score(start[v]) == log_of_nothing) {
            throw std::invalid_argument("a variable has parents that it may not have");
        }
    }
}

} // namespace

ChainPart run_chain(std::span<const CandidateSums> sums, const ParentMasks &start, std::uint64_t seed,
                    const ChainOptions &options, Budget &budget) {
    check_start(sums, start);
    std::size_t n_arcs = 0;
    for (const CandidateSums &its : sums) {
        n_arcs += its.candidates().size();
    }
    ChainPart part;
    part.arcs.assign(n_arcs, 0.0);
    Chain chain(sums, start, seed);
    const std::size_t between = std::max<std::size_t>(1, options.sweeps / std::max<std::size_t>(1, options.draws));
    for (; part.sweeps < options.sweeps; ++part.sweeps) {
        part.stopped_by = budget.reason();
        if (part.stopped_by != StopReason::none) {
            break;
        }
        const double done = static_cast<double>(part.sweeps + 1) / static_cast<double>(options.sweeps);
        chain.sweep(options.first_power + (1.0 - options.first_power) * done);
        chain.add_arcs(part.arcs);
        part.score += chain.score();
        if (part.draws.size() < options.draws && (part.sweeps + 1) % between == 0) {
            part.draws.push_back(chain.graph());
        }
    }
    const double sweeps = std::max(1.0, static_cast<double>(part.sweeps));
    for (double &probability : part.arcs) {
        probability /= sweeps;
    }
    part.score /= sweeps;
    part.last = chain.graph();
    return part;
}

ParentMasks random_start(std::span<const CandidateSums> sums, std::uint64_t seed) {
    Random random(seed);
    const std::size_t n = sums.size();
    ParentMasks parents(n, 0);
    std::vector<char> is_placed(n, 0);
    std::vector<Variable> left(n);
    std::iota(left.begin(), left.end(), Variable{0});
    while (!left.empty()) {
        random.shuffle(left);
        std::size_t n_left = 0;
        bool has_placed = false;
        for (const Variable v : left) {
            const CandidateSums &its = sums[v];
            Mask allowed = 0;
            for (std::size_t place = 0; place < its.candidates().size(); ++place) {
                allowed |= static_cast<Mask>(is_placed[its.candidates()[place]]) << place;
            }
            if (its.within(allowed) == log_of_nothing) { // it must have parents that come later
                left[n_left++] = v;
                continue;
            }
            parents[v] = its.draw(0, allowed, its.within(allowed), 0.0);
            is_placed[v] = 1;
            has_placed = true;
        }
        left.resize(n_left);
        if (!has_placed) {
            return {};
        }
    }
    return parents;
}

Relations relations_in(std::span<const CandidateSums> sums, std::span<const ParentMasks> draws) {
    const std::size_t n = sums.size();
    Relations found{std::vector<std::uint32_t>(n * n, 0), std::vector<std::uint32_t>(n * n, 0)};
    for (const ParentMasks &draw : draws) {
        check_start(sums, draw);
        Graph graph(sums);
        for (Variable v = 0; v < n; ++v) {
            graph.set_parents(v, draw[v]);
        }
        Rows near(n);
        for (Variable v = 0; v < n; ++v) {
            const std::vector<std::uint64_t> below = graph.descendants(v);
            for (Variable other = 0; other < n; ++other) {
                found.ancestors[v * n + other] += static_cast<std::uint32_t>(other != v && has(below, other));
            }
            for_each_bit(draw[v], [&](std::size_t place) {
                const Variable parent = sums[v].candidates()[place];
                put(near[parent], v);
                put(near[v], parent);
                for_each_bit(draw[v], [&](std::size_t second) {
                    if (second != place) {
                        put(near[parent], sums[v].candidates()[second]);
                    }
                });
            });
        }
        for (Variable v = 0; v < n; ++v) {
            for (Variable other = 0; other < n; ++other) {
                found.blankets[v * n + other] += static_cast<std::uint32_t>(has(near[v], other));
            }
        }
    }
    return found;
}

} // namespace arcwise
