// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_description.h"
#include "plan/built_layers.h"
#include "support/catch.h"

namespace ringside::test {

// Returns the description of a model that model.layers lists.
inline ModelDescription modelOf(const std::string& layers, const Shape& sample, std::int64_t outputs = 2,
                                bool isSequence = false) {
    ModelConfig config;
    config.kind = ModelKind::kLayers;
    config.layers = layers;
    const Result<ModelDescription> model =
        describeModel(config, ModelInterface{.sample = sample, .outputs = outputs, .isSequence = isSequence});
    CAPTURE(model ? std::string() : model.problem().text());
    REQUIRE(model);
    return model.value();
}

}  // namespace ringside::test
