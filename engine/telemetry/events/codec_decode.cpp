// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>

#include "base/json/json_members.h"
#include "telemetry/events/codec.h"
#include "telemetry/events/event_fields.h"
#include "telemetry/events/plain_line.h"

namespace ringside {
namespace {

using namespace limits;

// Reads the fields of one event from a JSON object and checks their bounds. Keeps the first problem that it finds.
class Fields {
  public:
    explicit Fields(const Json& json) : m_json(json) {}

    const std::optional<Problem>& problem() const { return m_problem; }

    bool includes(bool) const { return true; }

    void integer(const char* key, std::int64_t& out, std::int64_t least = 0, std::int64_t most = kMaxCount,
                 Need need = Need::kOptional) {
        const Json* value = find(key, need);
        if (value != nullptr) readInteger(*value, key, out, least, most);
    }
    void integer(const char* key, int& out, std::int64_t least, std::int64_t most, Need need = Need::kOptional) {
        std::int64_t wide = out;
        integer(key, wide, least, most, need);
        out = static_cast<int>(wide);
    }

    void real(const char* key, double& out, Need need = Need::kOptional) {
        const Json* value = find(key, need);
        if (value != nullptr) readReal(*value, key, out);
    }

    void flag(const char* key, std::optional<bool>& out) {
        const Json* value = find(key, Need::kOptional);
        if (value == nullptr) return;
        if (!value->is_boolean()) return fail(key, "is neither true nor false");
        out = value->get<bool>();
    }

    void text(const char* key, std::string& out, Need need = Need::kOptional) {
        const Json* value = find(key, need);
        if (value != nullptr) readText(*value, key, out);
    }

    void column(const char* key, std::vector<std::int64_t>& out, std::int64_t least, std::int64_t most,
                Need need = Need::kOptional) {
        eachOf(key, need, kMaxColumn, out,
               [&](const Json& item, std::int64_t& value) { readInteger(item, key, value, least, most); });
    }
    void column(const char* key, std::vector<double>& out, Need need = Need::kOptional) {
        eachOf(key, need, kMaxColumn, out, [&](const Json& item, double& value) { readReal(item, key, value); });
    }
    void lines(const char* key, std::vector<std::string>& out) {
        eachOf(key, Need::kOptional, kMaxLastLines, out,
               [&](const Json& item, std::string& value) { readText(item, key, value); });
    }

    void tree(const char* key, std::string& out) {
        const Json* value = find(key, Need::kOptional);
        if (value != nullptr) out = jsonText(*value);
    }
    template <class Holds>
    void check(const char* key, const char* message, const Holds& holds) {
        if (!m_problem && !holds()) fail(key, message);
    }

  private:
    void fail(const char* key, const std::string& message) {
        if (!m_problem) m_problem = Problem{std::string("telemetry \"") + key + "\"", message, "the line is ignored"};
    }

    const Json* find(const char* key, Need need) {
        const auto found = m_json.find(key);
        if (found != m_json.end()) return &*found;
        if (need == Need::kRequired) fail(key, "is missing");
        return nullptr;
    }

    void readInteger(const Json& value, const char* key, std::int64_t& out, std::int64_t least, std::int64_t most) {
        if (!value.is_number_integer()) return fail(key, "is not a whole number");
        constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
        const bool huge =
            value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(kLargest);
        const std::int64_t got = huge ? kLargest : value.get<std::int64_t>();
        if (got < least || got > most) {
            return fail(key, "is " + value.dump() + "; allowed values are " + std::to_string(least) + " to " +
                                 std::to_string(most));
        }
        out = got;
    }

    void readReal(const Json& value, const char* key, double& out) {
        if (value.is_null()) {
            out = std::numeric_limits<double>::quiet_NaN();
        } else if (value.is_number()) {
            out = value.get<double>();
        } else {
            fail(key, "is not a number");
        }
    }

    void readText(const Json& value, const char* key, std::string& out) {
        if (!value.is_string()) return fail(key, "is not a string");
        const auto& got = value.get_ref<const std::string&>();
        if (got.size() > kMaxText) return fail(key, "is longer than " + std::to_string(kMaxText) + " bytes");
        out = got;
    }

    template <class T, class Read>
    void eachOf(const char* key, Need need, std::size_t most, std::vector<T>& out, Read read) {
        const Json* value = find(key, need);
        if (value == nullptr) return;
        if (!value->is_array()) return fail(key, "is not a list");
        if (value->size() > most) return fail(key, "has more than " + std::to_string(most) + " entries");
        out.reserve(value->size());
        for (const Json& item : *value) {
            T one{};
            read(item, one);
            if (m_problem) return;
            out.push_back(std::move(one));
        }
    }

    const Json& m_json;
    std::optional<Problem> m_problem;
};

template <class E>
Result<Event> decodeAs(const Json& json) {
    Fields read(json);
    Event event;
    fields(read, event.emplace<E>());
    if (read.problem()) return *read.problem();
    return event;
}

}  // namespace

Result<Event> decodeLine(std::string_view line) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    if (std::optional<Event> event = readPlainLine(line)) return *std::move(event);
    const Result<Json> json = parseJson(line, "telemetry line", Decoder::kMaxLine);
    if (!json) return json.problem();
    if (!json.value().is_object()) return Problem{"telemetry line", "is not a JSON object", "the line is ignored"};
    const auto kind = json.value().find("kind");
    if (kind == json.value().end() || !kind->is_string()) {
        return Problem{"telemetry line", "has no \"kind\"", "the line is ignored"};
    }
    const std::string name = kind->get<std::string>();
    std::optional<Result<Event>> event;
    withKind(name, [&]<class E>() { event = decodeAs<E>(json.value()); });
    if (event) return *std::move(event);
    return Problem{"telemetry kind", "\"" + name.substr(0, 40) + "\" is unknown", "update Ringside to see this event"};
}

}  // namespace ringside
