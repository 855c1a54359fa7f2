#include "testing.hpp"

int main() {
    int failed = 0;
    for (const auto &test : testing::cases()) {
        const int before = testing::failures();
        test.body();
        const bool passed = testing::failures() == before;
        failed += passed ? 0 : 1;
        std::printf("%s %s\n", passed ? "passed" : "FAILED", test.name);
    }
    std::printf("%d passed, %d failed\n", static_cast<int>(testing::cases().size()) - failed, failed);
    return failed == 0 ? 0 : 1;
}
