// SPDX-License-Identifier: Apache-2.0
#include "nn/blocks/attention.h"

#include "nn/layers/linear.h"

namespace ringside {

namespace {

// Attention between the two linear layers: maps the queries, keys and values (T, 3 * width) to (T, width).
class ScaledDotProduct final : public Layer {
  public:
    explicit ScaledDotProduct(const AttentionSpec& spec) : m_spec(spec) {}

    void prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) override {
        m_backend = &memory.backend();
        const AttentionMemory wanted = m_backend->attentionMemory(m_spec);
        m_y = memory.allocate({maxBatch * m_spec.positions, m_spec.width()}, DType::kFloat32);
        m_kept = memory.allocate({maxBatch, wanted.kept}, DType::kFloat32);
        if (wanted.scratch > 0) m_scratch = memory.allocateScratch({maxBatch, wanted.scratch}, DType::kFloat32);
        m_gradX = memory.allocateScratch(batchShape(input, maxBatch), DType::kFloat32);
    }

    Tensor forward(const Tensor& x) override {
        m_x = x;
        const Tensor y = m_y.head(x.rows());
        m_backend->attentionForward(x, m_kept.head(x.rows() / m_spec.positions), y, m_spec);
        return y;
    }

    Tensor backwardInput(const Tensor& gradY) override {
        const Tensor gradX = m_gradX.head(gradY.rows());
        const std::int64_t sequences = gradY.rows() / m_spec.positions;
        const Tensor scratch = m_scratch ? m_scratch.head(sequences) : Tensor{};
        m_backend->attentionBackward(m_x, m_kept.head(sequences), gradY, scratch, gradX, m_spec);
        return gradX;
    }

  private:
    AttentionSpec m_spec;
    Backend* m_backend = nullptr;
    Tensor m_x;  // input of the last forward pass, in the previous layer's memory
    Tensor m_y;
    Tensor m_kept;
    Tensor m_scratch;
    Tensor m_gradX;
};

Layers partsOf(const AttentionSpec& spec, const std::string& prefix) {
    const Shape values{spec.positions, spec.width()};
    const Shape triples{spec.positions, 3 * spec.width()};
    Layers parts;
    parts.push_back({std::make_unique<Linear>(spec.width(), 3 * spec.width(), prefix + "qkv."),
                     {.input = values, .output = triples}});
    parts.push_back({std::make_unique<ScaledDotProduct>(spec), {.input = triples, .output = values}});
    parts.push_back(
        {std::make_unique<Linear>(spec.width(), spec.width(), prefix + "proj."), {.input = values, .output = values}});
    return parts;
}

}  // namespace

Attention::Attention(const AttentionSpec& spec, const std::string& prefix)
    : m_spec(spec), m_parts(partsOf(spec, prefix)) {}

void Attention::prepare(const LayerMemory& memory, const Shape& input, std::int64_t maxBatch) {
    m_parts.prepare(memory, input, maxBatch);
}

}  // namespace ringside
