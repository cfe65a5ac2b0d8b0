// SPDX-License-Identifier: Apache-2.0
#include "run/read/metrics_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <span>

#include "base/json/json_members.h"
#include "base/system/files.h"
#include "base/text/named_choice.h"
#include "telemetry/events/event_choices.h"

namespace ringside {
namespace {

constexpr std::size_t kPiece = 1U << 18;
constexpr std::size_t kLongestLine = 1U << 20;
constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();

// Values of a line that MetricsReader uses.
struct LineValues {
    std::string_view kind, split;
    std::optional<std::int64_t> step, from, steps, samples, epoch;
    double loss = kNotFinite, accuracy = kNotFinite, lossMinimum = kNotFinite, lossMaximum = kNotFinite;
};

double* realOf(LineValues& values, std::string_view key) {
    if (key == "loss") return &values.loss;
    if (key == "accuracy") return &values.accuracy;
    if (key == "loss_min") return &values.lossMinimum;
    if (key == "loss_max") return &values.lossMaximum;
    return nullptr;
}

std::optional<std::int64_t>* integerOf(LineValues& values, std::string_view key) {
    if (key == "step") return &values.step;
    if (key == "samples") return &values.samples;
    if (key == "epoch") return &values.epoch;
    if (key == "from") return &values.from;
    if (key == "steps") return &values.steps;
    return nullptr;
}

// Parser of a flat JSON object without escapes, which is the form of nearly all lines. It is about ten times faster
// than parseJson(), which parses all other lines.
class FlatLine {
  public:
    explicit FlatLine(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    // Parses a line. Returns false if the line has any other form, valid JSON or not.
    bool read(LineValues& values) {
        if (!take('{')) return false;
        do {
            std::string_view key;
            if (!string(key) || !isNew(key) || !take(':') || !value(values, key)) return false;
        } while (take(','));
        return take('}') && (skipBlanks(), m_at == m_end);
    }

  private:
    // True if the line has not contained this key before and there is room for the key. Lines with a repeated key are
    // parsed by parseJson().
    bool isNew(std::string_view key) {
        const auto known = std::span(m_keys).first(m_count);
        if (m_count == m_keys.size() || std::ranges::find(known, key) != known.end()) return false;
        m_keys[m_count++] = key;
        return true;
    }
    void skipBlanks() {
        while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\r')) ++m_at;
    }
    bool take(char wanted) {
        skipBlanks();
        if (m_at == m_end || *m_at != wanted) return false;
        ++m_at;
        return true;
    }
    bool string(std::string_view& out) {
        if (!take('"')) return false;
        const char* const from = m_at;
        while (m_at != m_end && *m_at != '"' && *m_at != '\\' && static_cast<unsigned char>(*m_at) >= 0x20) ++m_at;
        out = {from, static_cast<std::size_t>(m_at - from)};
        return m_at != m_end && *m_at++ == '"';
    }
    bool value(LineValues& values, std::string_view key) {
        skipBlanks();
        if (m_at == m_end) return false;
        if (*m_at == '"') {
            std::string_view text;
            if (!string(text)) return false;
            if (key == "kind") values.kind = text;
            if (key == "split") values.split = text;
            return true;
        }
        const std::string_view rest(m_at, static_cast<std::size_t>(m_end - m_at));
        if (rest.starts_with("null")) {
            m_at += 4;
            return integerOf(values, key) == nullptr;
        }
        return number(values, key);
    }
    bool number(LineValues& values, std::string_view key) {
        const char* const digits = *m_at == '-' ? m_at + 1 : m_at;
        if (digits == m_end || *digits < '0' || *digits > '9') return false;
        if (auto* integer = integerOf(values, key)) {
            std::int64_t got = 0;
            const auto [end, error] = std::from_chars(m_at, m_end, got);
            if (error != std::errc{} || (end != m_end && (*end == '.' || *end == 'e' || *end == 'E'))) return false;
            *integer = got;
            m_at = end;
            return true;
        }
        double got = 0;
        const auto [end, error] = std::from_chars(m_at, m_end, got);
        if (error != std::errc{}) return false;
        if (double* real = realOf(values, key)) *real = got;
        m_at = end;
        return true;
    }

    const char* m_at;
    const char* m_end;
    std::array<std::string_view, 16> m_keys;
    std::size_t m_count = 0;
};

// Returns the values of a parsed line. Their texts point into `line`.
LineValues valuesIn(const Json& line) {
    LineValues values;
    const auto text = [&](const char* key) -> std::string_view {
        const auto found = line.find(key);
        return found != line.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                         : std::string_view();
    };
    values.kind = text("kind");
    values.split = text("split");
    values.step = integerIn(line, "step");
    values.from = integerIn(line, "from");
    values.steps = integerIn(line, "steps");
    values.samples = integerIn(line, "samples");
    values.epoch = integerIn(line, "epoch");
    values.loss = realIn(line, "loss").value_or(kNotFinite);
    values.accuracy = realIn(line, "accuracy").value_or(kNotFinite);
    values.lossMinimum = realIn(line, "loss_min").value_or(kNotFinite);
    values.lossMaximum = realIn(line, "loss_max").value_or(kNotFinite);
    return values;
}

MetricsEntry stepIn(const LineValues& values) {
    MetricsEntry step;
    step.step = step.from = values.step.value_or(0);
    step.samples = values.samples.value_or(0);
    step.loss = step.lossMinimum = step.lossMaximum = values.loss;
    if (!values.from) return step;
    step.from = *values.from;
    step.steps = values.steps.value_or(1);
    step.lossMinimum = values.lossMinimum;
    step.lossMaximum = values.lossMaximum;
    return step;
}

}  // namespace

Result<MetricsReader> MetricsReader::open(const std::filesystem::path& file) {
    Result<UniqueFd> opened = openFile(file);
    if (!opened) return opened.problem();
    return MetricsReader(std::move(opened).value(), file.string());
}

bool MetricsReader::readMore() {
    m_buffer.erase(0, m_at);
    m_at = 0;
    const std::size_t before = m_buffer.size();
    m_buffer.resize(before + kPiece);
    ssize_t got = 0;
    do {
        got = ::read(m_file.get(), m_buffer.data() + before, kPiece);
    } while (got < 0 && errno == EINTR);
    m_buffer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return got > 0;
}

std::optional<std::string_view> MetricsReader::nextLine() {
    std::size_t searched = m_at;
    for (;;) {
        const std::size_t newline = m_buffer.find('\n', searched);
        if (newline != std::string::npos) {
            const std::string_view line(m_buffer.data() + m_at, newline - m_at);
            m_at = newline + 1;
            ++m_line;
            return line;
        }
        m_tooLong = m_buffer.size() - m_at > kLongestLine;
        searched = m_buffer.size() - m_at;
        if (m_tooLong || !readMore()) return {};
    }
}

Result<std::optional<MetricsEntry>> MetricsReader::next() {
    while (const std::optional<std::string_view> text = nextLine()) {
        const std::string where = m_name + " line " + std::to_string(m_line);
        LineValues values;
        Json tree;
        if (!FlatLine(*text).read(values)) {
            Result<Json> line = parseJson(*text, where);
            if (!line) return line.problem();
            if (!line.value().is_object())
                return Problem{where, "is not a JSON object", "use a directory that contains a run"};
            tree = std::move(line).value();
            values = valuesIn(tree);
        }
        if (values.kind == "epoch") {
            m_epochs.push_back({values.epoch.value_or(0),
                                choiceNamed<SplitKind>(values.split) == SplitKind::kValidation, values.loss,
                                values.accuracy});
        }
        if (values.kind != "step") continue;
        const MetricsEntry step = stepIn(values);
        const bool covers = step.from >= 1 && step.from <= step.step && step.steps >= 1 &&
                            step.steps <= step.step - step.from + 1 && step.samples >= 0;
        if (step.step <= m_lastStep || step.from <= m_lastStep || !covers) {
            return Problem{where,
                           "has step " + std::to_string(step.step) + " after step " + std::to_string(m_lastStep) +
                               "; step numbers must increase",
                           "use a directory that contains one run"};
        }
        m_lastStep = step.step;
        return std::optional(step);
    }
    if (m_tooLong) {
        return Problem{m_name + " line " + std::to_string(m_line + 1), "is longer than 1 MiB",
                       "use a directory that contains a run"};
    }
    return std::optional<MetricsEntry>();
}

}  // namespace ringside
