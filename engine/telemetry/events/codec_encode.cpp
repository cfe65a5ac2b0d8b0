// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_members.h"
#include "base/text/number_writer.h"
#include "base/text/plain_text.h"
#include "telemetry/events/codec.h"
#include "telemetry/events/event_fields.h"

namespace ringside {
namespace {

// Converts a value to JSON text. Replaces each invalid UTF-8 sequence by the replacement character, because the output
// of a rank's process may contain any bytes.
std::string dumped(const Json& json) {
    return jsonText(json);
}

// Parses a text that contains JSON; returns null if the text is not valid JSON.
Json parsedOrNull(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? Json() : json;
}

// Writes the fields of an event directly as text. Every rank sends many events per second; to build a JSON tree for
// each of them would take longer than all other telemetry work.
class FieldWriter {
  public:
    explicit FieldWriter(std::string_view kind) { m_out.text(R"({"kind":")").text(kind).character('"'); }

    std::string line() { return m_out.text("}\n").take(); }

    // True if an optional field must be written, that is, if its value is known.
    bool includes(bool known) const { return known; }

    void integer(std::string_view key, std::int64_t value, std::int64_t = 0, std::int64_t = 0, Need = Need::kOptional) {
        name(key).number(value);
    }
    void real(std::string_view key, double value) { name(key).number(value); }
    void flag(std::string_view key, const std::optional<bool>& value) { name(key).text(*value ? "true" : "false"); }
    void text(std::string_view key, const std::string& value, Need = Need::kOptional) {
        name(key);
        string(value);
    }
    void tree(std::string_view key, const std::string& json) { name(key).text(dumped(parsedOrNull(json))); }
    void lines(std::string_view key, const std::vector<std::string>& values) {
        list(key, values, [this](const std::string& value) { string(value); });
    }
    template <class T, class... Bounds>
    void column(std::string_view key, const std::vector<T>& values, Bounds...) {
        list(key, values, [this](T value) { m_out.number(value); });
    }
    template <class Holds>
    void check(std::string_view, std::string_view, const Holds&) const {}

  private:
    NumberWriter& name(std::string_view key) { return m_out.text(",\"").text(key).text("\":"); }

    void string(const std::string& value) {
        if (!isPlainText(value)) {
            m_out.text(dumped(value));
            return;
        }
        m_out.character('"').text(value).character('"');
    }

    template <class T, class Write>
    void list(std::string_view key, const std::vector<T>& values, const Write& write) {
        name(key).character('[');
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) m_out.character(',');
            write(values[i]);
        }
        m_out.character(']');
    }

    NumberWriter m_out;
};

}  // namespace

std::string encode(const Event& event) {
    return std::visit(
        [](const auto& one) {
            FieldWriter out(kKind<std::remove_cvref_t<decltype(one)>>);
            fields(out, one);
            return out.line();
        },
        event);
}

}  // namespace ringside
