// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace ringside {

// Access to members of JSON that comes from outside. A member that is missing or has another type is empty; no function
// throws.

// Returns the member; null if `json` is not an object or has no such member.
const Json* findMember(const Json& json, std::string_view key);
// Returns an integer; empty if the number does not fit into a signed 64-bit integer.
std::optional<std::int64_t> integerIn(const Json& json, std::string_view key);
// Returns a number, with or without a fraction.
std::optional<double> realIn(const Json& json, std::string_view key);
// Returns a text; "" if there is none.
std::string stringIn(const Json& json, std::string_view key);

// Returns the JSON as text, with `indent` spaces per level; -1 writes the text in one line. Bytes that are not valid
// UTF-8 are replaced.
std::string jsonText(const Json& json, int indent = -1);

// Reads the members of an object from outside. The first missing or invalid member clears isValid(), and all later
// functions return empty values.
class JsonObject {
  public:
    explicit JsonObject(Json json) : m_json(std::move(json)), m_isValid(m_json.is_object()) {}

    bool isValid() const { return m_isValid; }
    bool has(std::string_view key) const { return findMember(m_json, key) != nullptr; }
    // Returns a text; invalid if it has more than `most` bytes.
    std::string text(std::string_view key, std::size_t most);
    // Returns an integer from `least` to `most`; `least` if it is invalid.
    std::int64_t number(std::string_view key, std::int64_t least, std::int64_t most);
    // Returns an integer as number() does, in the type int.
    int intNumber(std::string_view key, int least, int most) { return static_cast<int>(number(key, least, most)); }
    bool flag(std::string_view key);
    // Returns a list; null if it is invalid or has more than `most` entries.
    const Json* array(std::string_view key, std::size_t most);
    void fail() { m_isValid = false; }

  private:
    Json m_json;
    bool m_isValid;
};

}  // namespace ringside
