// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/plain_line.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text/plain_text.h"
#include "telemetry/events/event_fields.h"

namespace ringside {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// Reading position in one line of text. Each function reads the expected text, or returns false if the line has other
// text.
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
        // Parses the number as an integer first, because most numbers are counts. A number with a fraction or an
        // exponent is parsed again as floating point.
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

    // Reads a string without escapes.
    bool string(std::string& out) {
        if (!literal('"')) return false;
        const char* const end = std::find(m_at, m_end, '"');
        const std::string_view text(m_at, static_cast<std::size_t>(end - m_at));
        if (end == m_end || text.size() > limits::kMaxText || !isPlainText(text)) return false;
        out = text;
        m_at = end + 1;
        return true;
    }

    // Reads the comma and the name of the next field. Returns false if the next field has another name.
    bool key(std::string_view name) {
        const std::string_view rest(m_at, left());
        if (!rest.starts_with(",\"") || !rest.substr(2).starts_with(name)) return false;
        if (!rest.substr(2 + name.size()).starts_with("\":")) return false;
        m_at += name.size() + 4;
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
    // Reads an integer of at most 18 digits without a leading zero, so that the value fits into 64 bits.
    std::optional<std::int64_t> plainDigits() {
        constexpr std::ptrdiff_t kMax = 18;
        const char* const from = m_at;
        std::int64_t value = 0;
        while (m_at != m_end && isDigit(*m_at) && m_at - from < kMax) value = value * 10 + (*m_at++ - '0');
        const std::ptrdiff_t count = m_at - from;
        if (count == 0 || (count > 1 && *from == '0')) return {};
        return value;
    }

    // True if the number continues after its integer digits, with a fraction or an exponent.
    bool more() const { return m_at != m_end && (*m_at == '.' || *m_at == 'e' || *m_at == 'E'); }

    // True if a number in JSON syntax starts at the current position. JSON allows no plus sign, leading zero, leading
    // decimal point or infinity.
    bool startsNumber() const {
        const std::size_t at = m_at != m_end && *m_at == '-' ? 1 : 0;
        if (left() <= at + 1 || !isDigit(m_at[at])) return false;
        return m_at[at] != '0' || !isDigit(m_at[at + 1]);
    }

    const char* m_at;
    const char* m_end;
};

// Reads the fields of one event. After the first field that does not have the form in which encode() writes it, no
// other field is read.
class PlainFields {
  public:
    explicit PlainFields(Scanner scanner) : m_scan(scanner) {}

    bool complete() { return m_good && m_scan.literal('}') && m_scan.atEnd(); }

    bool includes(bool) const { return m_good; }

    void integer(std::string_view key, std::int64_t& out, std::int64_t least = 0, std::int64_t most = limits::kMaxCount,
                 Need need = Need::kOptional) {
        if (reach(key, need)) m_good = m_scan.number(out, least, most);
    }
    void integer(std::string_view key, int& out, std::int64_t least, std::int64_t most, Need need = Need::kOptional) {
        std::int64_t wide = out;
        integer(key, wide, least, most, need);
        out = static_cast<int>(wide);
    }
    void real(std::string_view key, double& out) {
        if (reach(key)) m_good = m_scan.number(out);
    }
    void text(std::string_view key, std::string& out, Need need = Need::kOptional) {
        if (reach(key, need)) m_good = m_scan.string(out);
    }
    void column(std::string_view key, std::vector<std::int64_t>& out, std::int64_t least, std::int64_t most,
                Need need = Need::kOptional) {
        if (reach(key, need)) m_good = m_scan.column(out, rows(), least, most);
        m_rows = out.size();
    }
    void column(std::string_view key, std::vector<double>& out, Need need = Need::kOptional) {
        if (reach(key, need)) m_good = m_scan.column(out, rows());
    }
    // The following three functions reject the line, so that the JSON parser decodes it. They are called for types of
    // fields that occur in few events of a run.
    void flag(std::string_view key, std::optional<bool>&) { m_good = m_good && !reach(key); }
    void tree(std::string_view key, std::string&) { m_good = m_good && !reach(key); }
    void lines(std::string_view key, std::vector<std::string>&) { m_good = m_good && !reach(key); }

    template <class Holds>
    void check(std::string_view, std::string_view, const Holds& holds) {
        m_good = m_good && holds();
    }

  private:
    // Reads the key of the next field and returns true if it is `key`. Otherwise reads nothing and returns false.
    bool reach(std::string_view key, Need need = Need::kOptional) {
        if (!m_good) return false;
        if (m_scan.key(key)) return true;
        m_good = need == Need::kOptional;
        return false;
    }

    // Returns the number of entries for which a column should reserve memory: the length of the previous column, or for
    // the first column an estimate from the length of the line.
    std::size_t rows() const {
        // lower bound of the encoded size of one step, in bytes, in nearly all lines
        constexpr std::size_t kBytesPerStep = 32;
        return m_rows > 0 ? m_rows : std::min(m_scan.left() / kBytesPerStep, limits::kMaxColumn);
    }

    Scanner m_scan;
    std::size_t m_rows = 0;
    bool m_good = true;
};

}  // namespace

std::optional<Event> readPlainLine(std::string_view line) {
    Scanner scan(line);
    if (!scan.literal(R"({"kind":)")) return {};
    std::string kind;
    if (!scan.string(kind)) return {};
    std::optional<Event> event;
    withKind(kind, [&]<class E>() {
        PlainFields plain(scan);
        E& one = event.emplace().emplace<E>();
        fields(plain, one);
        if (!plain.complete()) event.reset();
    });
    return event;
}

}  // namespace ringside
