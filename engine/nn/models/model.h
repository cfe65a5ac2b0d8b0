// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/blocks/sequence.h"
#include "nn/layer/layer.h"

namespace ringside {

// The layers [first, last) of a model that a rank computes; the others it only knows.
struct LayerRange {
    std::size_t first = 0;
    std::size_t last = static_cast<std::size_t>(-1);  // at most all

    bool operator==(const LayerRange&) const = default;
};

class Model;

// Follows the passes of a model layer by layer, in the thread that computes them.
class LayerWatch {
  public:
    enum class Work { kForward, kBackward, kInputs, kWeights };  // of a pass; the last two are backward's halves
    virtual ~LayerWatch() = default;
    virtual void passBegins(const Model& model, Work work, std::int64_t samples) = 0;
    virtual void layerBegins(std::size_t layer) = 0;
    // That much of its work is done: all of it, or what its parameters need and what the layer below does.
    virtual void layerDone(const Model& model, std::size_t layer, Work work) = 0;
    virtual void passEnds() = 0;
};

// Layers one after the other, as torch.nn.Sequential.
class Model {
  public:
    // Called as soon as a parameter's gradient is complete: strictly decreasing index, as DDP's hooks fire.
    using GradientReady = std::function<void(std::size_t parameter)>;
    // Whose values these are, and whether the model gives them memory of its own.
    enum class Values { kOwn, kBoundLater };

    Model(Backend& backend, Layers layers) : m_backend(backend), m_layers(std::move(layers)) {}

    // Allocates memory for the layers in the range, for batches of up to maxBatch samples. Called once, first.
    void prepare(std::int64_t maxBatch, LayerRange range = {}, Values values = Values::kOwn);
    // As after torch.manual_seed(seed), layer by layer, also through those outside the range. Parameters without a
    // value are drawn all the same; `drawn` sees each one while it has one.
    using Drawn = std::function<void(const Parameter&)>;
    void initialise(std::int64_t seed, const Drawn& drawn = {});

    // Of the range.
    const std::vector<Parameter*>& parameters() const { return m_parameters; }
    // What a state_dict holds: parameters and buffers.
    const std::vector<Parameter*>& state() const { return m_state; }
    // Of the whole model, and where the range's begins in it.
    const std::vector<Parameter*>& wholeState() const { return m_wholeState; }
    const std::vector<Parameter*>& wholeParameters() const { return m_wholeParameters; }
    std::size_t layerCount() const { return m_layers.size(); }
    std::int64_t parameterCount() const;            // values in all
    std::string describe() const;                   // "Linear(64, 128), ReLU(), Linear(128, 10)"
    const Shape& input() const { return m_input; }  // of the range, of one sample
    const Shape& output() const { return m_output; }
    // Approximate arithmetic of a layer, by which pipelines are cut.
    double costOf(std::size_t layer) const { return m_layers[layer].built.cost; }

    // Told of every pass from now on; outlives the model or is taken back (null).
    void watch(LayerWatch* watch) { m_watch = watch; }
    const LayerRange& range() const { return m_range; }

    void begin(const Pass& pass);  // what the next forward passes are for
    Tensor forward(const Tensor& x);
    // From the gradient of the loss by the last forward pass' output; fills every parameter's gradient. The result is
    // the gradient by the range's input, when it does not begin the model.
    Tensor backward(const Tensor& gradOutput, const GradientReady& ready);
    // Told instead of `ready` of parameters that the forward pass did not use (Layer::isUsed).
    void setUnused(GradientReady unused) { m_unused = std::move(unused); }
    // The same in two halves, other passes of other models between them: what the stage before waits for, then the
    // parameters' gradients. Layers that cannot be split fill theirs in the first half. Each half tells of its own.
    Tensor backwardInputs(const Tensor& gradOutput, const GradientReady& ready);
    void backwardWeights(const GradientReady& ready);

  private:
    bool passesGradient(std::size_t layer) const;
    void tell(std::size_t layer, const GradientReady& ready) const;
    void watchBegins(LayerWatch::Work work, std::int64_t samples);
    void watchLayer(std::size_t layer) {
        if (m_watch != nullptr) [[unlikely]]
            m_watch->layerBegins(layer);
    }
    void watchDone(std::size_t layer, LayerWatch::Work work) {
        if (m_watch != nullptr) [[unlikely]]
            m_watch->layerDone(*this, layer, work);
    }
    void watchEnds() {
        if (m_watch != nullptr) [[unlikely]]
            m_watch->passEnds();
    }

    Backend& m_backend;
    GradientReady m_unused;
    Layers m_layers;
    LayerRange m_range;
    Shape m_input;
    Shape m_output;
    std::vector<Parameter*> m_parameters;
    std::vector<Parameter*> m_state;
    std::vector<Parameter*> m_wholeState;
    std::vector<Parameter*> m_wholeParameters;
    std::vector<std::size_t> m_firstParameter;  // of each layer of the range
    std::size_t m_firstTrainedLayer = 0;        // the first that needs a gradient
    LayerWatch* m_watch = nullptr;
    std::int64_t m_samples = 0;       // of the last forward pass that was watched
    std::vector<Tensor> m_gradients;  // by the output of each layer of the range, between the halves
};

}  // namespace ringside
