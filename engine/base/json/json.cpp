// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/system/files.h"

namespace ringside {
namespace {

std::string positionText(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

constexpr int kNumberOutOfRange = 406;  // exception id of nlohmann::json for a number that overflows
constexpr std::size_t kMaxShownKey = 80;

// SAX handler that builds the Json tree and stops the parser at the first exceeded limit. Members are appended without
// a search, because ordered_json looks up keys in linear time; end_object() checks for repeated keys.
class JsonBuilder {
  public:
    JsonBuilder(int maxDepth, std::size_t maxValues) : m_maxDepth(maxDepth), m_maxValues(maxValues) {}

    Json& root() { return m_root; }
    const Problem& problem() const { return m_problem; }  // returns the problem; parseJson() sets its field

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(Json::number_integer_t value) { return put(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
    bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(Json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(Json::value_t::object); }
    bool start_array(std::size_t) { return open(Json::value_t::array); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        members().emplace_back(std::move(name), nullptr);
        return true;
    }

    bool end_object() {
        m_keys.clear();
        for (const auto& [name, value] : members()) m_keys.push_back(name);
        std::ranges::sort(m_keys);
        const auto twice = std::ranges::adjacent_find(m_keys);
        if (twice == m_keys.end()) return close();
        const Json shown(std::string(twice->substr(0, kMaxShownKey)));
        const std::string name = shown.dump(-1, ' ', true, Json::error_handler_t::replace);
        return refuse("has the key " + name + " twice in one object", "remove one of the two keys");
    }

    bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) {
        if (error.id == kNumberOutOfRange) {
            return refuse("holds a number too large to represent", "use a smaller number");
        }
        m_badByte = byte;
        return refuse("is not valid JSON", "correct the JSON at this position");
    }

    // Returns the position of the first invalid byte; 0 if the text is valid JSON but violates a limit or repeats a
    // key.
    std::size_t badByte() const { return m_badByte; }

  private:
    Json::object_t& members() { return m_open.back()->get_ref<Json::object_t&>(); }

    Json* place(Json&& value) {
        if (m_open.empty()) return &(m_root = std::move(value));
        if (m_open.back()->is_array()) return &m_open.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
        return &(members().back().second = std::move(value));
    }

    template <class T>
    bool put(T&& value) {
        if (++m_values > m_maxValues) {
            return refuse("holds more than " + std::to_string(m_maxValues) + " values", "reduce the number of values");
        }
        place(Json(std::forward<T>(value)));
        return true;
    }

    bool open(Json::value_t type) {
        if (static_cast<int>(m_open.size()) >= m_maxDepth) {
            return refuse("is nested deeper than " + std::to_string(m_maxDepth) + " levels", "reduce the nesting");
        }
        if (++m_values > m_maxValues) {
            return refuse("holds more than " + std::to_string(m_maxValues) + " values", "reduce the number of values");
        }
        m_open.push_back(place(Json(type)));
        return true;
    }

    bool close() {
        m_open.pop_back();
        return true;
    }

    bool refuse(std::string message, std::string remedy) {
        m_problem = {{}, std::move(message), std::move(remedy)};
        return false;
    }

    const int m_maxDepth;
    const std::size_t m_maxValues;
    Json m_root;
    // objects and arrays that have not been closed, from the root down; an object or array does not move in memory
    // while a nested one is open
    std::vector<Json*> m_open;
    std::vector<std::string_view> m_keys;
    std::size_t m_values = 0;
    std::size_t m_badByte = 0;
    Problem m_problem;
};

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& what, std::size_t maxBytes, int maxDepth,
                       std::size_t maxValues) {
    if (text.size() > maxBytes) {
        return Problem{what, "has " + std::to_string(text.size()) + " bytes; the limit is " + std::to_string(maxBytes),
                       "use a smaller file"};
    }
    JsonBuilder builder(maxDepth, maxValues);
    if (Json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root());
    Problem problem = builder.problem();
    problem.field = what;
    if (builder.badByte() > 0) problem.message += " at " + positionText(text, builder.badByte());
    return problem;
}

Result<Json> readJsonFile(const std::filesystem::path& path, std::size_t maxBytes) {
    Result<std::string> text = readFile(path, maxBytes);
    if (!text) return text.problem();
    return parseJson(text.value(), path.string(), maxBytes);
}

}  // namespace ringside
