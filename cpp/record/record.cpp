// The work whose instructions `benchmarks/record.py` counts: one task, named on the command line, inside `recorded`.
#include "arcwise/class_search.hpp"
#include "arcwise/hill_climb.hpp"
#include "arcwise/text_table.hpp"

#include "../tests/random_table.hpp"
#include "../tests/rules.hpp"

#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace arcwise;
using testing::RandomTable;
using testing::Rules;

namespace {

constexpr std::size_t cache_bytes = 1 << 24;

// What valgrind switches its counter on for.
[[gnu::noinline]] double recorded(const std::function<double()> &work) { return work(); }

double bare_loop() {
    const BitBlocks a(1024, 0x123456789abcdefULL), b(1024, 0xfedcba987654321ULL);
    return recorded([&] { return static_cast<double>(bit_kernels("plain").dot(a.data(), b.data(), a.size(), 1000)); });
}

double additions(ScoreKind kind) {
    const RandomTable<std::uint8_t> table(5000, std::vector<std::uint32_t>(40, 3), 1);
    const LocalScore score(table.view(), kind, 1.0, bit_kernels("plain"), cache_bytes);
    return recorded([&] {
        double sum = 0.0;
        for (Variable child = 0; child < 10; ++child) {
            std::vector<Variable> candidates(25);
            std::iota(candidates.begin(), candidates.end(), Variable{12});
            std::vector<double> scores(candidates.size());
            const std::vector<Variable> parents{10, 11};
            if (score.additions(child, parents, candidates, scores)) {
                sum += std::accumulate(scores.begin(), scores.end(), 0.0);
            }
        }
        return sum;
    });
}

double classes() {
    const RandomTable<std::uint8_t> table(1000, std::vector<std::uint32_t>(60, 2), 2);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels("plain"), cache_bytes);
    const Rules rules(60);
    return recorded([&] {
        AdditionRows rows(score, cache_bytes);
        Budget budget;
        return static_cast<double>(
            search_classes(rows, rules.view(), 1.0, false, ParentLists(60), 1, budget).parents.size());
    });
}

double graphs() {
    const RandomTable<std::uint8_t> table(1000, std::vector<std::uint32_t>(60, 2), 3);
    const LocalScore score(table.view(), ScoreKind::bic, 1.0, bit_kernels("plain"), cache_bytes);
    const Rules rules(60);
    return recorded([&] {
        LeadingRows rows(score, cache_bytes);
        Budget budget;
        return static_cast<double>(
            hill_climb(rows, rules.view(), DagMoves::add_delete_reverse, ParentLists(60), 1, budget).parents.size());
    });
}

double text(bool numbers) {
    Random random(4);
    std::string whole = "a,b,c,d\n";
    for (int row = 0; row < 20000; ++row) {
        for (int v = 0; v < 4; ++v) {
            whole += numbers ? std::to_string(static_cast<double>(random.below(1000000)) / 997.0)
                             : "state" + std::to_string(random.below(5));
            whole += v < 3 ? ',' : '\n';
        }
    }
    return recorded([&] { return static_cast<double>(read_text(whole, {',', true, 0, 1000}, {}).n_rows); });
}

using Tasks = std::map<std::string, std::function<double()>>;

Tasks all_tasks() {
    return {
        {"bare loop", bare_loop},
        {"additions, BIC", [] { return additions(ScoreKind::bic); }},
        {"additions, BDeu", [] { return additions(ScoreKind::bdeu); }},
        {"climb over classes", classes},
        {"climb over graphs", graphs},
        {"text, words", [] { return text(false); }},
        {"text, numbers", [] { return text(true); }},
    };
}

} // namespace

int main(int n_arguments, char **arguments) {
    const Tasks tasks = all_tasks();
    if (n_arguments == 2 && tasks.contains(arguments[1])) {
        std::printf("%g\n", tasks.at(arguments[1])());
        return 0;
    }
    for (const auto &[name, task] : tasks) {
        std::puts(name.c_str());
    }
    return n_arguments == 1 ? 0 : 1;
}
