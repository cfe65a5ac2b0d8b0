// SPDX-License-Identifier: Apache-2.0
#include "config/run_config.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/json/json_members.h"
#include "config/config_fields.h"
#include "config/nearest_word.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxListLength = 1000;
constexpr std::size_t kMaxTextLength = 4096;
constexpr std::size_t kMaxLayersLength = 65536;

std::string shown(const Json& value) {
    std::string text = jsonText(value);
    if (text.size() <= 60) return text;
    std::size_t end = 57;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;  // avoids a cut inside a UTF-8 character
    return text.substr(0, end) + "...";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

struct Wanted {
    const char* type;
    const char* remedy;
};

Problem wrongType(const ConfigField& field, const Json& value, const Wanted& wanted) {
    return {std::string(field.path), "is " + shown(value) + "; it must be " + wanted.type, wanted.remedy};
}

// True if JSON can represent the text. Command-line arguments may contain any bytes.
bool isUtf8(const Json& text) {
    try {
        return !text.dump().empty();
    } catch (const Json::type_error&) {
        return false;
    }
}

std::optional<Problem> readInteger(const Json& value, std::int64_t& out, const ConfigField& field) {
    if (!value.is_number_integer()) {
        return wrongType(field, value, {"a whole number", "write the number without quotes, point or exponent"});
    }
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        return wrongType(field, value, {"at most 9223372036854775807", "use a smaller number"});
    }
    out = value.get<std::int64_t>();
    return {};
}

// Stores a list of layers as JSON text on one line. An empty list is stored as an empty text.
std::optional<Problem> assignLayers(std::string* out, const Json& value, const ConfigField& field) {
    std::string text = value.empty() ? std::string() : jsonText(value);
    if (text.size() > kMaxLayersLength)
        return Problem{std::string(field.path), "has " + std::to_string(text.size()) + " bytes; the limit is 65536",
                       "use fewer layers"};
    *out = std::move(text);
    return {};
}

std::optional<Problem> assign(std::string* out, const Json& value, const ConfigField& field) {
    if (field.type == FieldType::kLayerList) {
        if (value.is_array()) return assignLayers(out, value, field);
        return wrongType(field, value,
                         {"a list of layers", R"(write the list as [{"kind": "linear", "out": 64}, ...])"});
    }
    if (!value.is_string()) return wrongType(field, value, {"text", "put the text in double quotes"});
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kMaxTextLength) {
        return Problem{std::string(field.path), "has " + std::to_string(text.size()) + " bytes; the limit is 4096",
                       "shorten the text"};
    }
    if (!isUtf8(value)) return wrongType(field, value, {"UTF-8 text", "write the text in UTF-8"});
    *out = text;
    return {};
}

std::optional<Problem> assign(std::int64_t* out, const Json& value, const ConfigField& field) {
    return readInteger(value, *out, field);
}

std::optional<Problem> assign(double* out, const Json& value, const ConfigField& field) {
    if (!value.is_number())
        return wrongType(field, value, {"a number", "write the number without quotes, as 0.1 or 1e-3"});
    *out = value.get<double>();
    return {};
}

std::optional<Problem> assign(bool* out, const Json& value, const ConfigField& field) {
    if (!value.is_boolean()) return wrongType(field, value, {"true or false", "write true or false, without quotes"});
    *out = value.get<bool>();
    return {};
}

std::optional<Problem> assign(std::vector<std::int64_t>* out, const Json& value, const ConfigField& field) {
    const Wanted wanted{"a list of whole numbers", "write the list as [128] or [128, 64]"};
    if (field.emptyIsAuto && value == Json("auto")) {
        out->clear();
        return {};
    }
    if (!value.is_array()) return wrongType(field, value, wanted);
    if (value.size() > kMaxListLength) {
        return Problem{std::string(field.path), "has " + std::to_string(value.size()) + " entries; the limit is 1000",
                       "shorten the list"};
    }
    std::vector<std::int64_t> numbers(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (readInteger(value[i], numbers[i], field)) return wrongType(field, value, wanted);
    }
    *out = std::move(numbers);
    return {};
}

Problem unknownChoice(const ConfigField& field, const Json& value) {
    std::vector<std::string> words;
    for (const std::string_view choice : field.choices) words.emplace_back(choice);
    const std::string near = nearestWord(value.get_ref<const std::string&>(), words);
    return {std::string(field.path), "is " + shown(value) + "; the choices are " + joined(words),
            near.empty() ? "choose one of these" : "did you mean " + near + "?"};
}

std::optional<Problem> assign(ChoiceSlot out, const Json& value, const ConfigField& field) {
    if (!value.is_string()) return wrongType(field, value, {"text", "put the text in double quotes"});
    const auto found = std::ranges::find(field.choices, value.get_ref<const std::string&>());
    if (found == field.choices.end()) return unknownChoice(field, value);
    *out.index = static_cast<std::uint8_t>(found - field.choices.begin());
    return {};
}

std::optional<Problem> assignField(const ConfigField& field, const Json& value, RunConfig& config) {
    if (value.is_null() && field.nullIsDefault) return {};
    return std::visit([&](auto out) { return assign(out, value, field); }, field.slot(config));
}

std::vector<std::string> sectionNames() {
    std::vector<std::string> names;
    for (const ConfigField& field : configFields()) {
        if (!field.section().empty() && std::ranges::find(names, field.section()) == names.end()) {
            names.emplace_back(field.section());
        }
    }
    return names;
}

std::vector<std::string> keysIn(std::string_view section) {
    std::vector<std::string> keys;
    if (section.empty()) keys = {"version"};
    for (const ConfigField& field : configFields()) {
        if (field.section() == section) keys.emplace_back(field.key());
    }
    for (const std::string& name : sectionNames()) {
        const auto dot = name.rfind('.');
        const std::string home = dot == std::string::npos ? std::string() : name.substr(0, dot);
        if (home == section) keys.push_back(dot == std::string::npos ? name : name.substr(dot + 1));
    }
    return keys;
}

// Searches all sections for the field whose key is most similar to `key`. Returns the path of this field; empty if no
// key is similar.
std::string homeOf(std::string_view key) {
    std::vector<std::string> keys;
    for (const ConfigField& field : configFields()) keys.emplace_back(field.key());
    const std::string near = nearestWord(key, keys);
    const auto home = std::ranges::find(configFields(), near, &ConfigField::key);
    return near.empty() ? std::string() : std::string(home->path);
}

std::string printable(std::string_view text) {
    const std::string quoted = shown(Json(std::string(text)));
    return quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2);
}

Problem unknownKey(std::string_view section, std::string_view key) {
    const std::string path = (section.empty() ? "" : std::string(section) + '.') + printable(key);
    const std::vector<std::string> keys = keysIn(section);
    const std::string near = nearestWord(key, keys);
    if (!near.empty()) {
        return {path, "is not known",
                "did you mean " + (section.empty() ? "" : std::string(section) + '.') + near + "?"};
    }
    if (const std::string home = homeOf(key); !home.empty())
        return {path, "is not known", "did you mean " + home + "?"};
    return {path, "is not known", "the keys of this section are " + joined(keys)};
}

Problem unknownPath(const std::string& path) {
    if (path == "version") return {path, "is the format of the file and not a setting", "omit the key"};
    std::vector<std::string> paths;
    for (const ConfigField& field : configFields()) paths.emplace_back(field.path);
    const std::string near = nearestWord(path, paths);
    if (!near.empty()) return {printable(path), "is not known", "did you mean " + near + "?"};
    const auto dot = path.rfind('.');
    const std::vector<std::string> sections = sectionNames();
    if (dot == std::string::npos) return unknownKey({}, path);
    if (std::ranges::find(sections, path.substr(0, dot)) == sections.end()) {
        return {printable(path), "is not known", "the sections are " + joined(sections)};
    }
    return unknownKey(path.substr(0, dot), path.substr(dot + 1));
}

const DefaultOnlyKey* findDefaultOnlyKey(std::string_view path) {
    const auto found = std::ranges::find(defaultOnlyKeys(), path, &DefaultOnlyKey::path);
    return found == defaultOnlyKeys().end() ? nullptr : &*found;
}

std::optional<Problem> checkDefaultOnlyKey(const DefaultOnlyKey& key, const Json& value) {
    if (std::ranges::find(key.accepted, value) != key.accepted.end()) return {};
    return Problem{std::string(key.path),
                   "is " + shown(value) + "; only " + shown(key.accepted.front()) + " is accepted, because " +
                       std::string(key.why),
                   "omit the key"};
}

class Reader {
  public:
    Reader(RunConfig& config, Problems& problems) : m_config(config), m_problems(problems) {}

    void readRoot(const Json& json) { readSection({}, json); }

  private:
    // Reads the fields of a section and of its nested sections.
    void readSection(const std::string& section, const Json& json) {
        for (const auto& [key, value] : json.items()) {
            const std::string path = section.empty() ? key : section + '.' + key;
            if (path == "version") {
                readVersion(value);
            } else if (std::ranges::find(m_sections, path) == m_sections.end()) {
                readKey(section, key, value);
            } else if (value.is_object()) {
                readSection(path, value);
            } else {
                m_problems.push_back(
                    {path, "is " + shown(value) + "; it must be a section", "write \"" + key + "\": {...}"});
            }
        }
    }

    void readVersion(const Json& value) {
        if (value == Json(kConfigVersion) && value.is_number_integer()) return;
        m_problems.push_back({"version", "is " + shown(value) + "; this program reads version 1",
                              "write \"version\": 1, or use the program that wrote the file"});
    }

    void readKey(std::string_view section, const std::string& key, const Json& value) {
        const std::string path = (section.empty() ? "" : std::string(section) + '.') + key;
        std::optional<Problem> problem;
        if (const ConfigField* field = findConfigField(path)) {
            problem = assignField(*field, value, m_config);
        } else if (const DefaultOnlyKey* defaultOnly = findDefaultOnlyKey(path)) {
            problem = checkDefaultOnlyKey(*defaultOnly, value);
        } else {
            problem = unknownKey(section, key);
        }
        if (problem) m_problems.push_back(*problem);
    }

    RunConfig& m_config;
    Problems& m_problems;
    const std::vector<std::string> m_sections = sectionNames();
};

// Parses the text after "=" as JSON. Strings need no quotes, and lists need no brackets.
std::optional<Json> valueFromText(FieldType type, const std::string& text) {
    const bool isText = type == FieldType::kText || type == FieldType::kChoice;
    if (isText && (text.empty() || text.front() != '"')) return Json(text);
    if (type == FieldType::kIntegerList && text == "auto") return Json(text);
    const bool bareList = type == FieldType::kIntegerList && (text.empty() || text.front() != '[');
    Result<Json> parsed = parseJson(bareList ? '[' + text + ']' : text, "value");
    if (!parsed) return {};
    return parsed.value();
}

Json& sectionOf(Json& json, std::string_view section) {
    if (section.empty()) return json;
    const auto dot = section.find('.');
    Json& outer = json[std::string(section.substr(0, dot))];
    return dot == std::string_view::npos ? outer : sectionOf(outer, section.substr(dot + 1));
}

}  // namespace

Json RunConfig::toJson() const {
    Json json = {{"version", kConfigVersion}};
    for (const ConfigField& field : configFields()) {
        sectionOf(json, field.section())[std::string(field.key())] = fieldValue(field, *this);
    }
    return json;
}

std::string RunConfig::toText(int indent) const {
    return jsonText(toJson(), indent);
}

Result<RunConfig> RunConfig::fromJson(const Json& json, Problems* all) {
    RunConfig config;
    Problems problems;
    if (json.is_object()) {
        Reader(config, problems).readRoot(json);
    } else {
        problems.push_back({"the configuration", "is " + shown(json) + "; it must be an object",
                            "start from `ringsidectl config --defaults`"});
    }
    if (all) *all = problems;
    if (!problems.empty()) return problems.front();
    return config;
}

Result<RunConfig> RunConfig::parse(std::string_view text, const std::string& what, Problems* all) {
    const Result<Json> json = parseJson(text, what);
    if (json) return fromJson(json.value(), all);
    if (all) *all = {json.problem()};
    return json.problem();
}

Problems RunConfig::set(const std::string& assignment) {
    const auto equals = assignment.find('=');
    if (equals == 0)
        return {{"--set " + printable(assignment), "does not contain the name of a setting",
                 "write it as --set loader.batch_size=64"}};
    if (equals == std::string::npos) {
        return {{"--set " + printable(assignment), "has no value",
                 "write it as --set " + printable(assignment) + "=VALUE"}};
    }
    const std::string path = assignment.substr(0, equals);
    const std::string text = assignment.substr(equals + 1);
    const ConfigField* field = findConfigField(path);
    const DefaultOnlyKey* defaultOnly = field ? nullptr : findDefaultOnlyKey(path);
    if (!field && !defaultOnly) return {unknownPath(path)};
    // Text that is not valid JSON is passed on as a string, so that the field reports the expected type.
    const Json value = valueFromText(field ? field->type : FieldType::kReal, text).value_or(Json(text));
    const std::optional<Problem> problem =
        field ? assignField(*field, value, *this) : checkDefaultOnlyKey(*defaultOnly, value);
    return problem ? Problems{*problem} : Problems{};
}

}  // namespace ringside
