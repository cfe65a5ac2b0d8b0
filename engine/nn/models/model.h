// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/blocks/sequence.h"
#include "nn/layer/layer.h"

namespace ringside {

// The layers [first, last) of a model that a rank computes. The rank holds only descriptions of the other layers.
struct LayerRange {
    std::size_t first = 0;
    std::size_t last = static_cast<std::size_t>(-1);  // one past the last layer; at most the number of layers

    bool operator==(const LayerRange&) const = default;
};

class Model;

// Observer that is notified of each layer's work in a model's forward and backward passes. The functions are called on
// the thread that computes the passes.
class LayerWatch {
  public:
    // Kind of work that a layer has done; kWeights and kInputs are the halves of the backward pass.
    enum class Work { kForward, kBackward, kInputs, kWeights };
    virtual ~LayerWatch() = default;
    virtual void onPassBegin(const Model& model, Work work, std::int64_t samples) = 0;
    virtual void layerBegins(std::size_t layer) = 0;
    // Called when a layer has completed this work. kForward: its output is computed; kWeights: its parameters'
    // gradients; kInputs: the gradient with respect to its input.
    virtual void layerDone(const Model& model, std::size_t layer, Work work) = 0;
    virtual void onPassEnd() = 0;
};

// A model: layers one after the other, as torch.nn.Sequential.
class Model {
  public:
    // Function that is called as soon as a parameter's gradient is complete, with strictly decreasing index, in the
    // order of DDP's hooks.
    using GradientReady = std::function<void(std::size_t parameter)>;
    // Owner of the memory of the values: the model allocates the memory, or the caller binds values later.
    enum class Values { kOwn, kBoundLater };

    Model(Backend& backend, Layers layers) : m_backend(backend), m_layers(std::move(layers)) {}

    // Allocates memory for the layers in the range, for batches of up to maxBatch samples. Called once, before all
    // other functions.
    void prepare(std::int64_t maxBatch, LayerRange range = {}, Values values = Values::kOwn);
    // Initialises the values as after torch.manual_seed(seed), layer by layer, including layers outside the range.
    // Parameters without a value are drawn into temporary memory; `drawn` is called with each parameter while it has a
    // value.
    using Drawn = std::function<void(const Parameter&)>;
    void initialise(std::int64_t seed, const Drawn& drawn = {});

    // Returns the parameters of the layers in the range.
    const std::vector<Parameter*>& parameters() const { return m_parameters; }
    // Returns the parameters and buffers of the layers in the range, as their state_dict.
    const std::vector<Parameter*>& state() const { return m_state; }
    // Returns the parameters and buffers of the whole model.
    const std::vector<Parameter*>& wholeState() const { return m_wholeState; }
    const std::vector<Parameter*>& wholeParameters() const { return m_wholeParameters; }
    std::size_t layerCount() const { return m_layers.size(); }
    std::int64_t parameterCount() const;            // returns the number of values of all parameters
    std::string describe() const;                   // returns, for example, "Linear(64, 128), ReLU(), Linear(128, 10)"
    const Shape& input() const { return m_input; }  // returns the shape of one sample at the start of the range
    const Shape& output() const { return m_output; }
    // Returns the approximate number of arithmetic operations of a layer, by which pipelines are divided into stages.
    double costOf(std::size_t layer) const { return m_layers[layer].built.cost; }

    // Sets the observer of all following passes; null removes it. watch must outlive the model or be removed.
    void watch(LayerWatch* watch) { m_watch = watch; }
    const LayerRange& range() const { return m_range; }

    void begin(const Pass& pass);  // sets the properties of the following forward passes
    Tensor forward(const Tensor& x);
    // Computes every parameter's gradient from the gradient of the loss with respect to the output of the last forward
    // pass. Returns the gradient with respect to the range's input if the range does not start at the model's first
    // layer.
    Tensor backward(const Tensor& gradOutput, const GradientReady& ready);
    // Sets the function that backward passes call instead of `ready` for parameters that the forward pass did not use
    // (Layer::isUsed).
    void setUnusedCallback(GradientReady unused) { m_unused = std::move(unused); }
    // Compute the backward pass in two halves, between which passes of other models can run: first the gradient with
    // respect to the input, for which the previous stage waits, then the parameters' gradients. Layers that cannot be
    // split compute both in the first half. Each half calls `ready` for the gradients that it computes.
    Tensor backwardInputs(const Tensor& gradOutput, const GradientReady& ready);
    void backwardWeights(const GradientReady& ready);

  private:
    bool passesGradient(std::size_t layer) const;
    void notifyGradientReady(std::size_t layer, const GradientReady& ready) const;
    void notifyPassBegin(LayerWatch::Work work, std::int64_t samples);
    void notifyLayerBegin(std::size_t layer) {
        if (m_watch != nullptr) [[unlikely]]
            m_watch->layerBegins(layer);
    }
    void notifyLayerDone(std::size_t layer, LayerWatch::Work work) {
        if (m_watch != nullptr) [[unlikely]]
            m_watch->layerDone(*this, layer, work);
    }
    void notifyPassEnd() {
        if (m_watch != nullptr) [[unlikely]]
            m_watch->onPassEnd();
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
    std::vector<std::size_t> m_firstParameter;  // index of the first parameter of each layer of the range
    std::size_t m_firstTrainedLayer = 0;        // index of the first layer that computes a gradient
    LayerWatch* m_watch = nullptr;
    std::int64_t m_samples = 0;       // number of samples in the last forward pass that an observer watched
    std::vector<Tensor> m_gradients;  // gradient with respect to the output of each layer of the range, kept between
                                      // the two halves
};

}  // namespace ringside
