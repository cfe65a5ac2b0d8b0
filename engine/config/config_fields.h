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

// Where a field's value lives in a RunConfig; a kLayerList as the text of its JSON.
using FieldSlot = std::variant<std::string*, std::int64_t*, double*, bool*, std::vector<std::int64_t>*>;

// One field of the experiment, described once: parsing, serialising, --set, the schema, shell completion and the
// tooltips of the GUI all read this.
struct ConfigField {
    std::string_view path;  // "parallel.world_size"
    FieldType type;
    std::string_view help;  // one or two sentences: what it is, and the way to think about it
    FieldSlot (*slot)(RunConfig&);
    std::span<const std::string_view> choices = {};  // kChoice only
    // Numbers (and the elements of a list) lie in [min, max], or ]min, max] with aboveMin.
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool aboveMin = false;
    std::string_view belowMin = {};  // how PyTorch refuses a smaller number
    bool emptyIsAuto = false;        // a list that may also be written "auto"
    bool nullIsDefault = false;      // null, as newer PyTorch writes it, leaves the default

    std::string_view section() const;  // "parallel", "parallel.pace"; empty for top-level fields
    std::string_view key() const;      // "world_size"
};

// A key of the configuration contract that has only its neutral value in this version.
struct NeutralKey {
    std::string_view path;
    std::vector<Json> accepted;
    std::string_view why;  // "loading is done by the rank itself"
};

// In the order of the contract, sections together.
std::span<const ConfigField> configFields();
std::span<const NeutralKey> neutralKeys();

const ConfigField* findConfigField(std::string_view path);

// The value of a field as JSON, and as text for messages ("32", "[128]", "\"digits\"").
Json fieldValue(const ConfigField& field, const RunConfig& config);

}  // namespace ringside
