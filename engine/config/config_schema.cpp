// SPDX-License-Identifier: Apache-2.0
#include "config/config_schema.h"

#include <cmath>

#include "base/json/json.h"
#include "config/config_fields.h"

namespace ringside {
namespace {

const char* typeName(FieldType type) {
    switch (type) {
        case FieldType::kText:
        case FieldType::kChoice:
            return "string";
        case FieldType::kInteger:
        case FieldType::kIntegerList:
            return "integer";
        case FieldType::kReal:
            return "number";
        case FieldType::kBoolean:
            return "boolean";
        case FieldType::kLayerList:
            return "array";
    }
    return "string";
}

Json limit(double value, FieldType type) {
    return type == FieldType::kReal ? Json(value) : Json(static_cast<std::int64_t>(value));
}

Json valueSchema(const ConfigField& field) {
    Json schema = {{"type", typeName(field.type)}};
    if (field.nullIsDefault) schema["type"] = {typeName(field.type), "null"};
    if (!field.choices.empty()) schema["enum"] = field.choices;
    if (std::isfinite(field.min))
        schema[field.aboveMin ? "exclusiveMinimum" : "minimum"] = limit(field.min, field.type);
    if (std::isfinite(field.max)) schema["maximum"] = limit(field.max, field.type);
    if (field.type == FieldType::kLayerList)
        schema["items"] = {
            {"type", "object"}, {"required", {"kind"}}, {"properties", {{"kind", {{"type", "string"}}}}}};
    if (field.type == FieldType::kIntegerList) return {{"type", "array"}, {"items", schema}};
    return schema;
}

Json defaultOnlySchema(const DefaultOnlyKey& key) {
    return {{"description", "Only this value is accepted, because " + std::string(key.why) + "."},
            {"enum", key.accepted}};
}

Json objectSchema() {
    return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

// Returns the "properties" object of a section in the schema. Creates the section if it does not exist.
Json& propertiesFor(Json& schema, std::string_view section) {
    Json& top = schema["properties"];
    if (section.empty()) return top;
    const auto dot = section.find('.');
    const std::string name(section.substr(0, dot));
    if (!top.contains(name)) top[name] = objectSchema();
    if (dot == std::string_view::npos) return top[name]["properties"];
    return propertiesFor(top[name], section.substr(dot + 1));
}

}  // namespace

Json configSchema() {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Ringside experiment"}};
    schema.update(objectSchema());
    schema["properties"]["version"] = {{"const", kConfigVersion}};
    const RunConfig defaults;
    for (const ConfigField& field : configFields()) {
        Json entry = {{"description", field.help}, {"default", fieldValue(field, defaults)}};
        entry.update(valueSchema(field));
        propertiesFor(schema, field.section())[std::string(field.key())] = entry;
    }
    for (const DefaultOnlyKey& key : defaultOnlyKeys()) {
        const auto dot = key.path.find('.');
        propertiesFor(schema, key.path.substr(0, dot))[std::string(key.path.substr(dot + 1))] = defaultOnlySchema(key);
    }
    return schema;
}

}  // namespace ringside
