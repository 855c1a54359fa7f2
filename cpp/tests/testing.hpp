// A small test runner: TEST(name) { CHECK(...); } registers a case, main.cpp runs them all.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace testing {

struct Case {
    const char *name;
    void (*body)();
};

inline std::vector<Case> &cases() {
    static std::vector<Case> all;
    return all;
}

inline int &failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(const char *name, void (*body)()) { cases().push_back({name, body}); }
};

inline void check(bool holds, const char *text, const char *file, int line) {
    if (!holds) {
        std::printf("%s:%d: failed: %s\n", file, line, text);
        ++failures();
    }
}

inline bool near(double a, double b, double tolerance = 1e-9) {
    return std::abs(a - b) <= tolerance * (1.0 + std::abs(a) + std::abs(b));
}

} // namespace testing

#define TEST(name)                                                                                                     \
    static void name();                                                                                                \
    static const testing::Registration registration_of_##name(#name, name);                                            \
    static void name()
#define CHECK(condition) testing::check((condition), #condition, __FILE__, __LINE__)
#define CHECK_THROWS(expression, exception)                                                                            \
    do {                                                                                                               \
        bool thrown = false;                                                                                           \
        try {                                                                                                          \
            (void)(expression);                                                                                        \
        } catch (const exception &) {                                                                                  \
            thrown = true;                                                                                             \
        }                                                                                                              \
        testing::check(thrown, #expression " throws " #exception, __FILE__, __LINE__);                                 \
    } while (false)
