// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "model/layer_description.h"

namespace ringside {

// Builder of a sequence of layers that computes the input and output shape of each. The first layer that does not fit
// its input becomes the problem; later layers are ignored.
class LayerChain {
  public:
    // words: number of tokens in the vocabulary; 0 if samples are not token sequences. where: prefix of messages, "body
    // " for the layers of a residual.
    LayerChain(const Shape& sample, std::int64_t words, std::string where = {})
        : m_shape(sample), m_words(words), m_where(std::move(where)) {}

    // Appends a layer and computes its shapes. Has no effect after a problem.
    void add(LayerDescription layer);
    void linear(const std::string& name, std::int64_t outputs);
    void convolution(const std::string& name, std::int64_t channels);  // appends a 3 x 3 convolution with padding 1
    void relu() { add({.kind = LayerKind::kReLU}); }
    void maxPool() { add({.kind = LayerKind::kMaxPool2d, .kernel = 2}); }
    void flatten() { add({.kind = LayerKind::kFlatten}); }

    const Shape& shape() const { return m_shape; }
    // Returns the layers, or the first problem.
    Result<std::vector<LayerDescription>> result() &&;

  private:
    bool fit(LayerDescription& layer);
    bool inferValuesOutput(LayerDescription& layer);
    bool inferConvolutionOutput(LayerDescription& layer);
    bool inferPoolingOutput(LayerDescription& layer);
    bool inferImageOutput(LayerDescription& layer);
    bool inferEmbeddingOutput(LayerDescription& layer);
    bool inferAttentionOutput(LayerDescription& layer);
    bool inferResidualOutput(LayerDescription& layer);
    bool refuse(const LayerDescription& layer, const std::string& wanted, const std::string& remedy);

    Shape m_shape;
    std::int64_t m_words;
    std::string m_where;
    std::vector<LayerDescription> m_layers;
    std::optional<Problem> m_problem;
};

}  // namespace ringside
