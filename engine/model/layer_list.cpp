// SPDX-License-Identifier: Apache-2.0
#include "model/layer_list.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "config/nearest_word.h"

namespace ringside {

namespace {

constexpr std::size_t kMaxLayers = 256;

struct Key {
    std::string_view name;
    std::int64_t LayerDescription::*value;
    std::int64_t least;
    std::int64_t most;
    bool required;
};

struct Kind {
    std::string_view name;
    LayerKind kind;
    std::vector<Key> keys;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> table = {
        {"linear", LayerKind::kLinear, {{"out", &LayerDescription::outputs, 1, 65536, true}}},
        {"conv2d",
         LayerKind::kConv2d,
         {{"out", &LayerDescription::outputs, 1, 65536, true},
          {"kernel", &LayerDescription::kernel, 1, 15, true},
          {"stride", &LayerDescription::stride, 1, 15, false},
          {"padding", &LayerDescription::padding, 0, 15, false}}},
        {"max_pool2d", LayerKind::kMaxPool2d, {{"kernel", &LayerDescription::kernel, 1, 15, true}}},
        {"relu", LayerKind::kReLU, {}},
        {"gelu", LayerKind::kGelu, {}},
        {"layer_norm", LayerKind::kLayerNorm, {}},
        {"flatten", LayerKind::kFlatten, {}},
    };
    return table;
}

std::string shown(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60);
}

template <class Named>
std::string namesOf(const std::vector<Named>& table) {
    std::string text;
    for (const Named& entry : table) text += (text.empty() ? "" : ", ") + std::string(entry.name);
    return text;
}

template <class Named>
std::string nearestIn(const std::vector<Named>& table, const std::string& word, const std::string& otherwise) {
    std::vector<std::string> names;
    for (const Named& entry : table) names.emplace_back(entry.name);
    const std::string near = nearestWord(word, names);
    return near.empty() ? otherwise : "did you mean " + near + "?";
}

// One entry of the list; what is wrong with it names its place.
class EntryReader {
  public:
    EntryReader(const Json& entry, std::size_t place) : m_entry(entry), m_place(place) {}

    Result<LayerDescription> read(bool last, std::int64_t outputs) const {
        if (!m_entry.is_object() || !m_entry.contains("kind") || !m_entry["kind"].is_string())
            return problem("is " + shown(m_entry) + "; a layer is an object with a kind", R"(write {"kind": "relu"})");
        const std::string name = m_entry["kind"].get<std::string>();
        const auto kind = std::ranges::find(kinds(), name, &Kind::name);
        if (kind == kinds().end())
            return problem("has the kind " + shown(m_entry["kind"]) + "; the kinds are " + namesOf(kinds()),
                           nearestIn(kinds(), name, "choose one of these"));
        LayerDescription layer{.kind = kind->kind, .name = std::to_string(m_place)};
        if (last && kind->kind == LayerKind::kLinear) layer.outputs = outputs;
        for (const auto& [key, value] : m_entry.items())
            if (key != "kind")
                if (const auto wrong = readKey(*kind, key, value, layer)) return *wrong;
        for (const Key& key : kind->keys)
            if (key.required && layer.*key.value == 0)
                return problem(name + " has no \"" + std::string(key.name) + "\"",
                               "add it, from " + std::to_string(key.least) + " to " + std::to_string(key.most));
        if (layer.kind == LayerKind::kConv2d && layer.padding >= layer.kernel)
            return problem("has the padding " + std::to_string(layer.padding) + ", which is not below its kernel " +
                               std::to_string(layer.kernel),
                           "lower the padding");
        return layer;
    }

  private:
    std::optional<Problem> readKey(const Kind& kind, const std::string& key, const Json& value,
                                   LayerDescription& layer) const {
        const auto known = std::ranges::find(kind.keys, key, &Key::name);
        if (known == kind.keys.end())
            return problem(
                std::string(kind.name) + " does not know " + shown(Json(key)),
                nearestIn(kind.keys, key, kind.keys.empty() ? "leave it out" : "it knows " + namesOf(kind.keys)));
        const bool fits = value.is_number_integer() && value >= known->least && value <= known->most;
        if (!fits)
            return problem(
                "has the " + key + " " + shown(value),
                "choose a whole number from " + std::to_string(known->least) + " to " + std::to_string(known->most));
        layer.*known->value = value.get<std::int64_t>();
        return {};
    }

    Problem problem(const std::string& message, const std::string& remedy) const {
        return {"model.layers[" + std::to_string(m_place) + "]", message, remedy};
    }

    const Json& m_entry;
    std::size_t m_place;
};

}  // namespace

Result<std::vector<LayerDescription>> readLayerList(const std::string& text, std::int64_t outputs) {
    const Result<Json> list = parseJson(text, "the list");
    if (!list || !list.value().is_array() || list.value().empty() || list.value().size() > kMaxLayers)
        return Problem{"model.layers", "is no list of 1 to " + std::to_string(kMaxLayers) + " layers",
                       R"(write it as [{"kind": "linear", "out": 64}, {"kind": "relu"}, {"kind": "linear"}])"};
    std::vector<LayerDescription> layers;
    for (std::size_t i = 0; i < list.value().size(); ++i) {
        Result<LayerDescription> layer = EntryReader(list.value()[i], i).read(i + 1 == list.value().size(), outputs);
        if (!layer) return layer.problem();
        layers.push_back(std::move(layer).value());
    }
    return layers;
}

}  // namespace ringside
