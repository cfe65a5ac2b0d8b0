// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_members.h"

#include <limits>

namespace ringside {

const Json* findMember(const Json& json, std::string_view key) {
    if (!json.is_object()) return nullptr;
    const auto found = json.find(std::string(key));
    return found == json.end() ? nullptr : &*found;
}

std::optional<std::int64_t> integerIn(const Json& json, std::string_view key) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    const Json* value = findMember(json, key);
    if (value == nullptr || !value->is_number_integer()) return {};
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > kMax) return {};
    return value->get<std::int64_t>();
}

std::optional<double> realIn(const Json& json, std::string_view key) {
    const Json* value = findMember(json, key);
    if (value == nullptr || !value->is_number()) return {};
    return value->get<double>();
}

std::string stringIn(const Json& json, std::string_view key) {
    const Json* value = findMember(json, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::string jsonText(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string JsonObject::text(std::string_view key, std::size_t most) {
    const Json* value = findMember(m_json, key);
    m_isValid =
        m_isValid && value != nullptr && value->is_string() && value->get_ref<const std::string&>().size() <= most;
    return m_isValid ? value->get<std::string>() : std::string();
}

std::int64_t JsonObject::number(std::string_view key, std::int64_t least, std::int64_t most) {
    const std::optional<std::int64_t> value = integerIn(m_json, key);
    m_isValid = m_isValid && value && *value >= least && *value <= most;
    return m_isValid ? *value : least;
}

bool JsonObject::flag(std::string_view key) {
    const Json* value = findMember(m_json, key);
    m_isValid = m_isValid && value != nullptr && value->is_boolean();
    return m_isValid && value->get<bool>();
}

const Json* JsonObject::array(std::string_view key, std::size_t most) {
    const Json* value = findMember(m_json, key);
    m_isValid = m_isValid && value != nullptr && value->is_array() && value->size() <= most;
    return m_isValid ? value : nullptr;
}

}  // namespace ringside
