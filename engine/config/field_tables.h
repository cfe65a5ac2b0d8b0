// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config/config_fields.h"

namespace ringside {

// Parts of configFields(). Each function is implemented in its own file.
std::span<const ConfigField> datasetAndModelFields();  // fields of name, dataset and model
std::span<const ConfigField> parallelFields();         // fields of parallel, sampler, pitfalls and loader
std::span<const ConfigField> strategyFields();         // fields of mesh, pipeline and fsdp
std::span<const ConfigField> trainingFields();         // fields of optimizer, schedule and training
std::span<const ConfigField> telemetryFields();

inline constexpr double kMaxInt32 = 2147483647.0;
#define RINGSIDE_SLOT(member) [](RunConfig& c) -> FieldSlot { return &c.member; }
#define RINGSIDE_CHOICE(member)                                                                           \
    NamedChoiceSlot {                                                                                     \
        [](RunConfig& c) -> FieldSlot { return ChoiceSlot{reinterpret_cast<std::uint8_t*>(&c.member)}; }, \
            kNamesOf<std::remove_cvref_t<decltype(std::declval<RunConfig&>().member)>>                    \
    }

// Limits of a number: Within{a, b} allows a <= value <= b, AboveUpTo{a, b} allows a < value <= b.
struct Within {
    double min;
    double max;
};
struct AboveUpTo {
    double min;
    double max;
};

// Constructors of one entry of a table of fields. `help` is one to four sentences: the meaning of the setting, then the
// meaning of special values.
using Slot = FieldSlot (*)(RunConfig&);

constexpr ConfigField text(std::string_view path, Slot slot, std::string_view help) {
    return {.path = path, .type = FieldType::kText, .help = help, .slot = slot};
}

// Field of kind kText that contains the path of a file or directory.
constexpr ConfigField file(std::string_view path, Slot slot, std::string_view help) {
    return {.path = path, .type = FieldType::kText, .help = help, .slot = slot, .isPath = true};
}

constexpr ConfigField boolean(std::string_view path, Slot slot, std::string_view help) {
    return {.path = path, .type = FieldType::kBoolean, .help = help, .slot = slot};
}

// Address of a choice in a RunConfig, and the table of the names of its values. The macro RINGSIDE_CHOICE derives both
// from the member's type.
struct NamedChoiceSlot {
    Slot slot;
    std::span<const std::string_view> names;
};
constexpr ConfigField choice(std::string_view path, const NamedChoiceSlot& member, std::string_view help) {
    return {.path = path, .type = FieldType::kChoice, .help = help, .slot = member.slot, .choices = member.names};
}

constexpr ConfigField layerList(std::string_view path, Slot slot, std::string_view help) {
    return {.path = path, .type = FieldType::kLayerList, .help = help, .slot = slot};
}

// Integer field without limits (64 bits).
constexpr ConfigField integer(std::string_view path, Slot slot, std::string_view help) {
    return {.path = path, .type = FieldType::kInteger, .help = help, .slot = slot};
}

constexpr ConfigField integer(std::string_view path, Slot slot, Within limits, std::string_view help) {
    return {
        .path = path, .type = FieldType::kInteger, .help = help, .slot = slot, .min = limits.min, .max = limits.max};
}

constexpr ConfigField integerList(std::string_view path, Slot slot, Within limits, std::string_view help) {
    ConfigField field = integer(path, slot, limits, help);
    field.type = FieldType::kIntegerList;
    return field;
}

constexpr ConfigField real(std::string_view path, Slot slot, Within limits, std::string_view help) {
    ConfigField field = integer(path, slot, limits, help);
    field.type = FieldType::kReal;
    return field;
}

constexpr ConfigField real(std::string_view path, Slot slot, AboveUpTo limits, std::string_view help) {
    ConfigField field = real(path, slot, Within{limits.min, limits.max}, help);
    field.aboveMin = true;
    return field;
}

}  // namespace ringside
