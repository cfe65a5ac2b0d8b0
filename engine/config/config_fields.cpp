// SPDX-License-Identifier: Apache-2.0
#include "config/config_fields.h"

#include <algorithm>

#include "base/json/json.h"
#include "config/field_tables.h"

namespace ringside {
namespace {

using std::string_view;

const std::vector<ConfigField>& fieldTable() {
    static const std::vector<ConfigField> table = [] {
        std::vector<ConfigField> all;
        for (const auto& part :
             {datasetAndModelFields(), parallelFields(), strategyFields(), trainingFields(), telemetryFields()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return table;
}

const std::vector<DefaultOnlyKey>& defaultOnlyTable() {
    static const std::vector<DefaultOnlyKey> table = {
        {"optimizer.betas",
         {Json::array({0.9, 0.999}), Json()},
         "the fields optimizer.beta1 and optimizer.beta2 contain these numbers"},
        {"optimizer.amsgrad", {Json(false)}, "Adam divides by the running mean of the squares, not its maximum"},
    };
    return table;
}

}  // namespace

string_view ConfigField::section() const {
    const auto dot = path.rfind('.');
    return dot == string_view::npos ? string_view() : path.substr(0, dot);
}

string_view ConfigField::key() const {
    const auto dot = path.rfind('.');
    return dot == string_view::npos ? path : path.substr(dot + 1);
}

std::span<const ConfigField> configFields() {
    return fieldTable();
}

std::span<const DefaultOnlyKey> defaultOnlyKeys() {
    return defaultOnlyTable();
}

const ConfigField* findConfigField(string_view path) {
    const auto found = std::ranges::find(configFields(), path, &ConfigField::path);
    return found == configFields().end() ? nullptr : &*found;
}

Json fieldValue(const ConfigField& field, const RunConfig& config) {
    // The cast is safe: slot() requires a non-const configuration, but this function only reads the value.
    const FieldSlot slot = field.slot(const_cast<RunConfig&>(config));
    if (const auto* choice = std::get_if<ChoiceSlot>(&slot)) return Json(field.choices[*choice->index]);
    const Json value = std::visit(
        [](const auto& held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, ChoiceSlot>)
                return Json();
            else
                return Json(*held);
        },
        slot);
    if (field.type != FieldType::kLayerList) return value;
    const auto text = value.get<std::string>();
    if (text.empty()) return Json::array();
    const Result<Json> list = parseJson(text, "the list");
    return list ? list.value() : value;
}

}  // namespace ringside
