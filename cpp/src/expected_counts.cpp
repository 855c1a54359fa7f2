#include "expected_counts.hpp"

#include <algorithm>

namespace arcwise {

namespace {

// Marginals up to this size are added up in a table, larger ones by sorting.
constexpr std::size_t most_cells_of_marginal = 4096;

} // namespace

FamilyRows::FamilyRows(const GapPosteriors &posteriors, const Family &family, FamilyStrides strides)
    : posteriors_(posteriors), table_(posteriors.table()), stride_of_one_more_(strides.one_more),
      offsets_(table_.n_rows(), 0) {
    std::vector<Variable> members(family.parents.begin(), family.parents.end());
    members.push_back(family.child);
    std::vector<std::uint64_t> of_members = std::move(strides.parents);
    of_members.push_back(strides.child);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::span<const std::uint16_t> codes = table_.column(members[i]);
        for (std::size_t row = 0; row < codes.size(); ++row) {
            offsets_[row] += codes[row] * of_members[i];
        }
        for (const GapPlace &place : table_.gaps_of(members[i])) { // not counted in what is there
            offsets_[place.row] -= table_.arity(members[i]) * of_members[i];
            rows.push_back(place.row);
        }
    }
    std::ranges::sort(rows);
    const auto repeated = std::ranges::unique(rows);
    rows.erase(repeated.begin(), repeated.end());
    gap_rows_.reserve(rows.size());
    complete_rows_.reserve(table_.n_rows() - rows.size());
    std::uint32_t next = 0;
    for (const std::uint32_t row : rows) {
        for (; next < row; ++next) {
            complete_rows_.push_back(next);
        }
        ++next;
        add_row(row, members, of_members);
    }
    for (; next < table_.n_rows(); ++next) {
        complete_rows_.push_back(next);
    }
}

void FamilyRows::add_row(std::uint32_t row, std::span<const Variable> members, std::span<const std::uint64_t> strides) {
    struct Found {
        std::uint32_t component;
        Term term;
    };
    thread_local std::vector<Found> found;
    found.clear();
    const std::span<const Variable> missing = table_.missing(row);
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (table_.code(row, members[i]) == table_.arity(members[i])) {
            const auto at = static_cast<std::size_t>(std::ranges::lower_bound(missing, members[i]) - missing.begin());
            const std::size_t gap = table_.first_gap(row) + at;
            const GapPosteriors::Place place = posteriors_.place(gap);
            found.push_back({place.component, {members[i], static_cast<std::uint32_t>(gap), place.member, strides[i]}});
        }
    }
    std::ranges::stable_sort(found, {}, &Found::component);
    GapRow its{row, parts_.size(), 0, entries_.size(), 0};
    thread_local Entries product;
    product.assign(1, {offsets_[row], weight(row)});
    for (std::size_t i = 0; i < found.size();) {
        Part part{found[i].component, terms_.size(), 0, part_entries_.size(), 0};
        for (; i < found.size() && found[i].component == part.component; ++i) {
            terms_.push_back(found[i].term);
        }
        part.terms_end = terms_.size();
        marginalise(row, part.component, std::span(terms_).subspan(part.terms_begin), part_entries_);
        part.end = part_entries_.size();
        multiply(product, std::span(part_entries_).subspan(part.begin));
        parts_.push_back(part);
    }
    entries_.insert(entries_.end(), product.begin(), product.end());
    its.parts_end = parts_.size();
    its.end = entries_.size();
    gap_rows_.push_back(its);
}

void FamilyRows::marginalise(std::uint32_t row, std::uint32_t component, std::span<const Term> terms,
                             Entries &out) const {
    if (terms.size() == 1) {
        const Term term = terms.front();
        const std::size_t arity = table_.arity(term.variable);
        const double *marginal = posteriors_.marginals(term.variable).data() + table_.rank(term.gap) * arity;
        for (std::size_t state = 0; state < arity; ++state) {
            if (marginal[state] > 0.0) {
                out.push_back({state * term.stride, marginal[state]});
            }
        }
        return;
    }
    const GapComponent its = posteriors_.component(row, component);
    const std::size_t k = its.members.size();
    std::size_t n_cells = 1;
    for (const Term &term : terms) {
        n_cells = std::min(most_cells_of_marginal + 1, n_cells * table_.arity(term.variable));
    }
    if (n_cells > most_cells_of_marginal) {
        const std::size_t begin = out.size();
        for (std::size_t entry = 0; entry < its.probabilities.size(); ++entry) {
            std::uint64_t offset = 0;
            for (const Term &term : terms) {
                offset += its.states[entry * k + term.member] * term.stride;
            }
            out.push_back({offset, its.probabilities[entry]});
        }
        std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                         [](const Entry &a, const Entry &b) { return a.offset < b.offset; });
        std::size_t last = begin;
        for (std::size_t i = begin + 1; i < out.size(); ++i) {
            if (out[i].offset == out[last].offset) {
                out[last].value += out[i].value;
            } else {
                out[++last] = out[i];
            }
        }
        out.resize(last + 1);
        return;
    }
    thread_local std::vector<double> sums;
    thread_local std::vector<std::uint64_t> offsets;
    sums.assign(n_cells, 0.0);
    offsets.assign(1, 0);
    for (const Term &term : terms) { // the last one varies fastest
        const std::size_t arity = table_.arity(term.variable);
        const std::size_t n = offsets.size();
        offsets.resize(n * arity);
        for (std::size_t i = n; i-- > 0;) {
            const std::uint64_t first = offsets[i];
            for (std::size_t state = 0; state < arity; ++state) {
                offsets[i * arity + state] = first + state * term.stride;
            }
        }
    }
    for (std::size_t entry = 0; entry < its.probabilities.size(); ++entry) {
        const std::uint16_t *states = its.states.data() + entry * k;
        std::size_t cell = 0;
        for (const Term &term : terms) {
            cell = cell * table_.arity(term.variable) + states[term.member];
        }
        sums[cell] += its.probabilities[entry];
    }
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        if (sums[cell] > 0.0) {
            out.push_back({offsets[cell], sums[cell]});
        }
    }
}

void FamilyRows::multiply(Entries &product, std::span<const Entry> part) {
    const std::size_t n = product.size();
    product.resize(n * part.size());
    for (std::size_t i = n; i-- > 0;) {
        const Entry first = product[i];
        for (std::size_t j = part.size(); j-- > 0;) {
            product[i * part.size() + j] = {first.offset + part[j].offset, first.value * part[j].value};
        }
    }
}

void FamilyRows::fill_both(const GapRow &its, OneMore one_more, Entries &out) const {
    const GapPosteriors::Place place = posteriors_.place(one_more.gap);
    thread_local std::vector<Term> terms;
    thread_local Entries part_of_one_more;
    const Term own{one_more.variable, one_more.gap, place.member, stride_of_one_more_};
    out.assign(1, {offsets_[its.row], weight(its.row)});
    bool is_in = false;
    const auto multiply_own = [&](std::span<const Term> others) {
        terms.assign(others.begin(), others.end());
        terms.push_back(own);
        part_of_one_more.clear();
        marginalise(its.row, place.component, terms, part_of_one_more);
        multiply(out, part_of_one_more);
        is_in = true;
    };
    for (std::size_t p = its.parts_begin; p < its.parts_end; ++p) {
        const Part &part = parts_[p];
        if (!is_in && part.component > place.component) {
            multiply_own({});
        }
        if (part.component == place.component) {
            multiply_own(std::span(terms_).subspan(part.terms_begin, part.terms_end - part.terms_begin));
        } else {
            multiply(out, std::span(part_entries_).subspan(part.begin, part.end - part.begin));
        }
    }
    if (!is_in) {
        multiply_own({});
    }
}

} // namespace arcwise
