// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps_line.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "telemetry/limits.h"

namespace ringside {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// Walks over one line; after the first thing it does not expect every answer is false.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    bool literal(std::string_view expected) {
        if (!std::string_view(m_at, left()).starts_with(expected)) return false;
        m_at += expected.size();
        return true;
    }
    bool literal(char expected) {
        if (m_at == m_end || *m_at != expected) return false;
        ++m_at;
        return true;
    }
    bool atEnd() const { return m_at == m_end; }
    std::size_t left() const { return static_cast<std::size_t>(m_end - m_at); }

    bool number(std::int64_t& out, std::int64_t least, std::int64_t most) {
        const bool negative = literal('-');
        const std::optional<std::int64_t> digits = plainDigits();
        if (!digits) return false;
        out = negative ? -*digits : *digits;
        return out >= least && out <= most;
    }

    bool number(double& out) {
        const char* const from = m_at;
        // Most are counts of hits; what is not digits alone is read again.
        if (const std::optional<std::int64_t> digits = plainDigits();
            digits && *digits <= limits::kMaxCount && !more()) {
            out = static_cast<double>(*digits);
            return true;
        }
        m_at = from;
        if (literal("null")) {
            out = std::numeric_limits<double>::quiet_NaN();
            return true;
        }
        if (!startsNumber()) return false;
        const auto [end, error] = std::from_chars(m_at, m_end, out);
        if (error != std::errc{} || !isDigit(end[-1])) return false;
        m_at = end;
        return true;
    }

    template <class T, class... Bounds>
    bool column(std::vector<T>& out, std::size_t expected, Bounds... bounds) {
        if (!literal('[')) return false;
        out.reserve(expected);
        do {
            T value{};
            if (out.size() == limits::kMaxColumn || !number(value, bounds...)) return false;
            out.push_back(value);
        } while (literal(','));
        return literal(']');
    }

  private:
    // Digits as JSON has them, without a leading zero, as far as 64 bits surely hold them.
    std::optional<std::int64_t> plainDigits() {
        constexpr std::ptrdiff_t kMost = 18;
        const char* const from = m_at;
        std::int64_t value = 0;
        while (m_at != m_end && isDigit(*m_at) && m_at - from < kMost) value = value * 10 + (*m_at++ - '0');
        const std::ptrdiff_t count = m_at - from;
        if (count == 0 || (count > 1 && *from == '0')) return {};
        return value;
    }

    // Whether the number goes on behind its digits.
    bool more() const { return m_at != m_end && (*m_at == '.' || *m_at == 'e' || *m_at == 'E'); }

    // As JSON has it: no plus, no leading zero or point, no infinity.
    bool startsNumber() const {
        const std::size_t at = m_at != m_end && *m_at == '-' ? 1 : 0;
        if (left() <= at + 1 || !isDigit(m_at[at])) return false;
        return m_at[at] != '0' || !isDigit(m_at[at + 1]);
    }

    const char* m_at;
    const char* m_end;
};

constexpr std::size_t kBytesPerStep = 32;  // at least, nearly always: room for the columns

bool increases(const std::vector<std::int64_t>& steps) {
    for (std::size_t i = 1; i < steps.size(); ++i) {
        if (steps[i] <= steps[i - 1]) return false;
    }
    return true;
}

bool isEven(const StepsFrame& frame) {
    const std::size_t n = frame.step.size();
    return frame.loss.size() == n && frame.samples.size() == n && frame.endUs.size() == n &&
           (frame.correct.empty() || frame.correct.size() == n) &&
           (frame.gradientNorm.empty() || frame.gradientNorm.size() == n) &&
           (frame.dataUs.empty() || frame.dataUs.size() == n);
}

}  // namespace

std::optional<StepsFrame> parseStepsLine(std::string_view line) {
    Scanner scan(line);
    StepsFrame frame;
    std::int64_t rank = 0;
    bool good = scan.literal(R"({"kind":"steps","rank":)") && scan.number(rank, 0, limits::kMaxRanks - 1) &&
                scan.literal(R"(,"epoch":)") && scan.number(frame.epoch, 0, limits::kMaxCount) &&
                scan.literal(R"(,"lr":)") && scan.number(frame.learningRate) && scan.literal(R"(,"step":)") &&
                scan.column(frame.step, std::min(line.size() / kBytesPerStep, limits::kMaxColumn), std::int64_t{1},
                            limits::kMaxCount);
    if (!good) return {};
    const std::size_t n = frame.step.size();
    good = scan.literal(R"(,"loss":)") && scan.column(frame.loss, n);
    if (good && scan.literal(R"(,"correct":)"))
        good = scan.column(frame.correct, n) && std::ranges::all_of(frame.correct, [](double hits) {
                   return hits >= 0 && hits <= static_cast<double>(limits::kMaxBatch);
               });
    good = good && scan.literal(R"(,"samples":)") &&
           scan.column(frame.samples, n, std::int64_t{0}, limits::kMaxBatch) && scan.literal(R"(,"end_us":)") &&
           scan.column(frame.endUs, n, -limits::kMaxCount, limits::kMaxCount);
    if (good && scan.literal(R"(,"gradient_norm":)")) good = scan.column(frame.gradientNorm, n);
    if (good && scan.literal(R"(,"data_us":)")) good = scan.column(frame.dataUs, n, std::int64_t{0}, limits::kMaxCount);
    if (!good || !scan.literal("}") || !scan.atEnd() || !isEven(frame) || !increases(frame.step)) return {};
    frame.rank = static_cast<int>(rank);
    return frame;
}

}  // namespace ringside
