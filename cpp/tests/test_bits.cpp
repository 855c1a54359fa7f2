#include "arcwise/bits.hpp"

#include "arcwise/random.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <stdexcept>
#include <string>

using namespace arcwise;

namespace {

std::vector<const BitKernels *> all_kernels() {
    std::vector<const BitKernels *> found;
    for (const char *name : {"plain", "neon", "avx2", "avx512"}) {
        try {
            found.push_back(&bit_kernels(name));
        } catch (const std::invalid_argument &) {
            MESSAGE("this machine has no ", std::string(name));
        }
    }
    return found;
}

BitBlocks random_bits(std::size_t n_vectors, std::size_t rows, Random &random) {
    const std::size_t words = padded_words(rows);
    BitBlocks bits(n_vectors * words, 0);
    for (std::size_t v = 0; v < n_vectors; ++v) {
        for (std::size_t row = 0; row < rows; ++row) {
            bits[v * words + row / 64] |= std::uint64_t{random.below(2)} << (row % 64);
        }
    }
    return bits;
}

} // namespace

TEST_CASE("and popcounts equal the definition") {
    Random random(1);
    for (const BitKernels *kernels : all_kernels()) {
        for (const std::size_t rows : {1UL, 63UL, 512UL, 513UL, 20000UL}) {
            const std::size_t words = padded_words(rows);
            const std::size_t n_masks = 1 + random.below(9);
            const std::size_t n_planes = 1 + random.below(9);
            const BitBlocks masks = random_bits(n_masks, rows, random);
            const BitBlocks planes = random_bits(n_planes, rows, random);
            std::vector<const std::uint64_t *> pointers;
            for (std::size_t p = 0; p < n_planes; ++p) {
                pointers.push_back(planes.data() + p * words);
            }
            std::vector<std::uint32_t> counts(n_masks * n_planes);
            kernels->and_popcounts(masks.data(), n_masks, pointers.data(), n_planes, words, counts.data());
            BitBlocks both(words);
            for (std::size_t p = 0; p < n_planes; ++p) {
                for (std::size_t m = 0; m < n_masks; ++m) {
                    std::uint64_t expected = 0;
                    for (std::size_t w = 0; w < words; ++w) {
                        expected +=
                            static_cast<std::uint64_t>(std::popcount(masks[m * words + w] & planes[p * words + w]));
                    }
                    CHECK(counts[p * n_masks + m] == expected);
                    CHECK(kernels->intersect(masks.data() + m * words, pointers[p], both.data(), words) == expected);
                    CHECK(kernels->dot(masks.data() + m * words, pointers[p], words, 3) == 3 * expected);
                }
            }
        }
    }
}

TEST_CASE("planes hold one bit per row") {
    Random random(2);
    for (const BitKernels *kernels : all_kernels()) {
        for (const std::size_t rows : {1UL, 64UL, 65UL, 1000UL}) {
            const std::size_t arity = 1 + random.below(7);
            std::vector<std::uint8_t> codes(rows);
            for (auto &code : codes) {
                code = static_cast<std::uint8_t>(random.below(arity));
            }
            const std::size_t words = padded_words(rows);
            BitBlocks planes(arity * words, 0);
            kernels->fill_planes(codes.data(), rows, arity, planes.data(), words);
            std::size_t set = 0;
            for (const std::uint64_t word : planes) {
                set += static_cast<std::size_t>(std::popcount(word));
            }
            CHECK(set == rows);
            for (std::size_t row = 0; row < rows; ++row) {
                CHECK((planes[codes[row] * words + row / 64] >> (row % 64) & 1) == 1);
            }
        }
    }
}

TEST_CASE("columns are counted over listed rows") {
    Random random(3);
    for (const BitKernels *kernels : all_kernels()) {
        for (const std::size_t n_listed : {0UL, 1UL, 255UL, 256UL, 511UL, 1500UL}) {
            std::vector<std::uint64_t> words(100);
            for (auto &word : words) {
                word = (std::uint64_t{random.below(std::size_t{1} << 32)} << 32) | random.below(std::size_t{1} << 32);
            }
            words[7] = ~std::uint64_t{0};
            std::vector<std::uint32_t> rows(n_listed);
            for (auto &row : rows) {
                row = random.below(2) == 0 ? 7 : static_cast<std::uint32_t>(random.below(words.size()));
            }
            std::vector<std::uint32_t> counts(64, 5);
            kernels->count_columns(words.data(), rows.data(), rows.size(), nullptr, counts.data());
            for (std::size_t column = 0; column < 64; ++column) {
                std::uint64_t expected = 5;
                for (const std::uint32_t row : rows) {
                    expected += words[row] >> column & 1;
                }
                CHECK(counts[column] == expected);
            }
        }
    }
}

TEST_CASE("weighted columns are counted over listed rows") {
    Random random(5);
    for (const BitKernels *kernels : all_kernels()) {
        std::vector<std::uint64_t> words(50);
        std::vector<std::uint32_t> weights(words.size());
        for (std::size_t row = 0; row < words.size(); ++row) {
            words[row] = (std::uint64_t{random.below(std::size_t{1} << 32)} << 32) | random.below(std::size_t{1} << 32);
            weights[row] = static_cast<std::uint32_t>(random.below(row % 2 == 0 ? 3 : 1000000));
        }
        const std::vector<std::uint32_t> rows{3, 4, 7, 48, 49, 20, 21};
        std::vector<std::uint32_t> counts(64, 5);
        kernels->count_columns(words.data(), rows.data(), rows.size(), weights.data(), counts.data());
        for (std::size_t column = 0; column < 64; ++column) {
            std::uint64_t expected = 5;
            for (const std::uint32_t row : rows) {
                expected += (words[row] >> column & 1) * weights[row];
            }
            CHECK(counts[column] == expected);
        }
    }
}

TEST_CASE("digits are appended") {
    Random random(4);
    for (const BitKernels *kernels : all_kernels()) {
        std::vector<std::uint16_t> ids(777);
        std::vector<std::uint8_t> codes(ids.size());
        std::vector<std::uint16_t> expected;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            ids[i] = static_cast<std::uint16_t>(random.below(9000));
            codes[i] = static_cast<std::uint8_t>(random.below(7));
            expected.push_back(static_cast<std::uint16_t>(ids[i] * 7 + codes[i]));
        }
        kernels->append_digit(ids.data(), codes.data(), 7, ids.size());
        CHECK(ids == expected);
    }
}

TEST_CASE("unknown instructions are refused") { CHECK_THROWS_AS(bit_kernels("sse9"), std::invalid_argument); }
