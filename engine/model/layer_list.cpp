// SPDX-License-Identifier: Apache-2.0
#include "model/layer_list.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json/json_members.h"
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

// List of layers nested in a residual layer.
struct Part {
    std::string_view name;
    std::string_view inState;  // name of the list in the state_dict
    std::vector<LayerDescription> LayerDescription::*layers;
};
constexpr std::array kParts = {Part{"layers", "body", &LayerDescription::body},
                               Part{"shortcut", "shortcut", &LayerDescription::shortcut}};
constexpr int kMaxDepth = 4;  // maximum nesting depth of residuals

struct WrittenKind {
    std::string_view name;
    LayerKind kind;
    std::vector<Key> keys;
};

const std::vector<WrittenKind>& kinds() {
    static const std::vector<WrittenKind> table = {
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
        {"batch_norm2d", LayerKind::kBatchNorm2d, {}},
        {"global_average_pool", LayerKind::kGlobalAveragePool, {}},
        {"dropout", LayerKind::kDropout, {}},
        {"residual", LayerKind::kResidual, {}},
        {"embedding", LayerKind::kEmbedding, {{"out", &LayerDescription::outputs, 1, 65536, true}}},
        {"position_embedding", LayerKind::kPositionEmbedding, {}},
        {"attention", LayerKind::kAttention, {{"heads", &LayerDescription::heads, 1, 256, true}}},
    };
    return table;
}

std::string shown(const Json& value) {
    return jsonText(value).substr(0, 60);
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

// Parser of one entry of a list. Problems name the path of the entry.
class EntryReader {
  public:
    // path: "model.layers[3]" for messages, name: "3" in the state_dict.
    EntryReader(const Json& entry, std::string path, std::string name, int depth)
        : m_entry(entry), m_path(std::move(path)), m_name(std::move(name)), m_depth(depth) {}

    // outputs: default of a linear layer without "out"; 0 if "out" is required.
    Result<LayerDescription> read(std::int64_t outputs) const;

  private:
    std::optional<Problem> readKey(const WrittenKind& kind, const std::string& key, const Json& value,
                                   LayerDescription& layer) const;
    std::optional<Problem> readPart(const Part& part, const Json& value, LayerDescription& layer) const;
    std::optional<Problem> readNumber(const Key& key, const Json& value, LayerDescription& layer) const;
    std::optional<Problem> checkWhole(const WrittenKind& kind, const LayerDescription& layer) const;

    Problem problem(const std::string& message, const std::string& remedy) const { return {m_path, message, remedy}; }

    const Json& m_entry;
    std::string m_path;
    std::string m_name;
    int m_depth;
};

Result<LayerDescription> EntryReader::read(std::int64_t outputs) const {
    if (!m_entry.is_object() || !m_entry.contains("kind") || !m_entry["kind"].is_string())
        return problem("is " + shown(m_entry) + "; a layer is an object with a kind", R"(write {"kind": "relu"})");
    const std::string name = m_entry["kind"].get<std::string>();
    const auto kind = std::ranges::find(kinds(), name, &WrittenKind::name);
    if (kind == kinds().end())
        return problem("has the kind " + shown(m_entry["kind"]) + "; the kinds are " + namesOf(kinds()),
                       nearestIn(kinds(), name, "choose one of these"));
    LayerDescription layer{.kind = kind->kind, .name = m_name};
    if (kind->kind == LayerKind::kLinear) layer.outputs = outputs;
    for (const auto& [key, value] : m_entry.items())
        if (key != "kind")
            if (const auto wrong = readKey(*kind, key, value, layer)) return *wrong;
    if (const auto wrong = checkWhole(*kind, layer)) return *wrong;
    return layer;
}

std::optional<Problem> EntryReader::checkWhole(const WrittenKind& kind, const LayerDescription& layer) const {
    for (const Key& key : kind.keys)
        if (key.required && layer.*key.value == 0)
            return problem(std::string(kind.name) + " has no \"" + std::string(key.name) + "\"",
                           "add this setting: a whole number from " + std::to_string(key.least) + " to " +
                               std::to_string(key.most));
    if (layer.kind == LayerKind::kConv2d && layer.padding >= layer.kernel)
        return problem("has the padding " + std::to_string(layer.padding) + ", which is not below its kernel " +
                           std::to_string(layer.kernel),
                       "lower the padding");
    if (layer.kind == LayerKind::kResidual && layer.body.empty())
        return problem("residual has no \"layers\"",
                       R"(add a list of layers, such as "layers": [{"kind": "linear", "out": 64}])");
    return {};
}

std::optional<Problem> EntryReader::readKey(const WrittenKind& kind, const std::string& key, const Json& value,
                                            LayerDescription& layer) const {
    if (kind.kind == LayerKind::kResidual)
        for (const Part& part : kParts)
            if (part.name == key) return readPart(part, value, layer);
    const std::string_view probability = kind.kind == LayerKind::kDropout    ? "p"
                                         : kind.kind == LayerKind::kResidual ? "skip"
                                                                             : "";
    if (!probability.empty() && key == probability) {
        const double p = value.is_number() ? value.get<double>() : -1;
        if (!(p >= 0 && p < 1))
            return problem("has the " + key + " " + shown(value), "choose a number from 0 to below 1");
        layer.probability = p;
        return {};
    }
    if (kind.kind == LayerKind::kConv2d && key == "bias") {
        if (!value.is_boolean()) return problem("has the bias " + shown(value), "choose true or false");
        layer.bias = value.get<bool>();
        return {};
    }
    const auto known = std::ranges::find(kind.keys, key, &Key::name);
    if (known == kind.keys.end()) {
        const std::string keys = kind.kind == LayerKind::kResidual  ? "layers, shortcut, skip"
                                 : kind.kind == LayerKind::kDropout ? "p"
                                 : kind.kind == LayerKind::kConv2d  ? namesOf(kind.keys) + ", bias"
                                                                    : namesOf(kind.keys);
        return problem(std::string(kind.name) + " does not have a setting " + shown(Json(key)),
                       nearestIn(kind.keys, key, keys.empty() ? "omit the setting" : "its settings are " + keys));
    }
    return readNumber(*known, value, layer);
}

std::optional<Problem> EntryReader::readNumber(const Key& key, const Json& value, LayerDescription& layer) const {
    if (!value.is_number_integer() || value < key.least || value > key.most)
        return problem("has the " + std::string(key.name) + " " + shown(value),
                       "choose a whole number from " + std::to_string(key.least) + " to " + std::to_string(key.most));
    layer.*key.value = value.get<std::int64_t>();
    return {};
}

std::optional<Problem> EntryReader::readPart(const Part& part, const Json& value, LayerDescription& layer) const {
    const std::string path = m_path + "." + std::string(part.name);
    if (!value.is_array() || value.size() > kMaxLayers)
        return Problem{path, "is not a list of at most " + std::to_string(kMaxLayers) + " layers",
                       "write it as a list"};
    if (m_depth == kMaxDepth)
        return Problem{path, "is nested deeper than " + std::to_string(kMaxDepth) + " levels",
                       "nest residuals less deeply"};
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string place = std::to_string(i);
        const EntryReader reader(value[i], path + "[" + place + "]",
                                 m_name + "." + std::string(part.inState) + "." + place, m_depth + 1);
        Result<LayerDescription> one = reader.read(0);
        if (!one) return one.problem();
        (layer.*part.layers).push_back(std::move(one).value());
    }
    return {};
}

}  // namespace

Result<std::vector<LayerDescription>> readLayerList(const std::string& text, std::int64_t outputs) {
    const Result<Json> list = parseJson(text, "the list");
    if (!list || !list.value().is_array() || list.value().empty() || list.value().size() > kMaxLayers)
        return Problem{"model.layers", "is not a list of 1 to " + std::to_string(kMaxLayers) + " layers",
                       R"(write the list as [{"kind": "linear", "out": 64}, {"kind": "relu"}, {"kind": "linear"}])"};
    std::vector<LayerDescription> layers;
    for (std::size_t i = 0; i < list.value().size(); ++i) {
        const std::string place = std::to_string(i);
        const EntryReader reader(list.value()[i], "model.layers[" + place + "]", place, 0);
        Result<LayerDescription> layer = reader.read(i + 1 == list.value().size() ? outputs : 0);
        if (!layer) return layer.problem();
        layers.push_back(std::move(layer).value());
    }
    return layers;
}

namespace {

bool contains(const std::vector<LayerDescription>& layers, LayerKind kind) {
    return std::ranges::any_of(layers, [kind](const LayerDescription& one) {
        return one.kind == kind || contains(one.body, kind) || contains(one.shortcut, kind);
    });
}

}  // namespace

bool listsLayer(const ModelConfig& model, LayerKind kind) {
    if (model.kind != ModelKind::kLayers) return false;
    const Result<std::vector<LayerDescription>> layers = readLayerList(model.layers, 1);
    return layers && contains(layers.value(), kind);
}

bool hasBatchNorm(const ModelConfig& model) {
    return model.kind == ModelKind::kResidualCnn || listsLayer(model, LayerKind::kBatchNorm2d);
}

}  // namespace ringside
