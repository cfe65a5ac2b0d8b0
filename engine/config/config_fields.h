// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/run_config.h"

namespace ringside {

enum class FieldType { kText, kChoice, kInteger, kReal, kBoolean, kIntegerList, kLayerList };

// Pointer to a choice in a RunConfig. The value of the enumerator is the index of the choice in its table of names.
struct ChoiceSlot {
    std::uint8_t* index;
};
// Pointer to a field's value in a RunConfig. A kLayerList is stored as JSON text.
using FieldSlot = std::variant<std::string*, std::int64_t*, double*, bool*, std::vector<std::int64_t>*, ChoiceSlot>;

// Description of one setting of an experiment. Parsing, serialisation, --set, the schema, shell completion and the
// tooltips of the window all read it.
struct ConfigField {
    std::string_view path;  // configuration path, such as "parallel.world_size"
    FieldType type;
    std::string_view help;  // help text in complete sentences: meaning, then special values
    FieldSlot (*slot)(RunConfig&);
    std::span<const std::string_view> choices = {};  // values of a kChoice field
    // Limits of a number, or of each number of a list: min <= value <= max, or min < value <= max if aboveMin is true.
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool aboveMin = false;
    // Error message of PyTorch for a number below `min`; empty: the message states the minimum.
    std::string_view belowMin = {};
    bool emptyIsAuto = false;  // true: an empty list may also be written as "auto"
    // True: null in a file means the default, because newer PyTorch versions pass None for the default.
    bool nullIsDefault = false;
    bool isPath = false;  // true for a kText field that names a file or directory, relative to the
                          // experiment's directory

    // Returns the section of the field, such as "parallel" or "parallel.pace"; empty for top-level fields.
    std::string_view section() const;
    std::string_view key() const;  // returns the last part of the path, such as "world_size"

    // Return a copy of the field with one property set; used in the tables of fields.
    constexpr ConfigField refusedAs(std::string_view sentence) const;  // returns the field with belowMin set
    constexpr ConfigField orAuto() const;                              // returns the field with emptyIsAuto set
    constexpr ConfigField orNull() const;                              // returns the field with nullIsDefault set
};

constexpr ConfigField ConfigField::refusedAs(std::string_view sentence) const {
    ConfigField copy = *this;
    copy.belowMin = sentence;
    return copy;
}

constexpr ConfigField ConfigField::orAuto() const {
    ConfigField copy = *this;
    copy.emptyIsAuto = true;
    return copy;
}

constexpr ConfigField ConfigField::orNull() const {
    ConfigField copy = *this;
    copy.nullIsDefault = true;
    return copy;
}

// Key of an experiment file that is accepted only with PyTorch's default value, which has no effect.
struct DefaultOnlyKey {
    std::string_view path;
    std::vector<Json> accepted;
    std::string_view why;  // reason why other values are not accepted, such as "Adam divides by the running mean"
};

// Returns all fields in the order in which files list them; the fields of a section are adjacent.
std::span<const ConfigField> configFields();
std::span<const DefaultOnlyKey> defaultOnlyKeys();

// Returns the field with this path, or null.
const ConfigField* findConfigField(std::string_view path);

// Returns the value of a field as JSON, or as text for messages: "32", "[128]", "\"digits\"".
Json fieldValue(const ConfigField& field, const RunConfig& config);

}  // namespace ringside
