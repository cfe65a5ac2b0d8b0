// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include "backend/update_state.h"
#include "base/errors/errors.h"

namespace ringside {

void Backend::refuse(const char* operation) const {
    throw DeviceError(name() + " has no " + operation + ": choose cpu as parallel.device");
}

void Backend::add(const Tensor&, const Tensor&) {
    refuse("sum of two gradients (training.accumulate_steps)");
}

void Backend::decideUpdateWith(double squaredNorm, const UpdateRules& rules, const Tensor& state) {
    UpdateState now;
    download(state, &now);
    ringside::decideUpdate(now, rules, squaredNorm);
    upload(&now, state);
}

void Backend::countUp(const Tensor&) {
    refuse("counter of batches (batch norm)");
}

void Backend::adam(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const AdamRule&, const Tensor&) {
    refuse("Adam (optimizer.kind)");
}

std::unique_ptr<Convolution> Backend::makeConvolution(const ConvolutionSpec&) {
    refuse("convolution (model.kind)");
}

void Backend::maxPoolForward(const Tensor&, const Tensor&, const Tensor&, const MaxPoolSpec&) {
    refuse("max-pooling (model.kind)");
}

void Backend::maxPoolBackward(const Tensor&, const Tensor&, const Tensor&, const MaxPoolSpec&) {
    refuse("max-pooling (model.kind)");
}

void Backend::transposeSamples(const Tensor&, const Tensor&, std::int64_t, std::int64_t) {
    refuse("transposition (model.kind)");
}

void Backend::geluForward(const Tensor&, const Tensor&) {
    refuse("GELU (model.layers)");
}

void Backend::geluBackward(const Tensor&, const Tensor&, const Tensor&) {
    refuse("GELU (model.layers)");
}

void Backend::layerNormForward(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
    refuse("layer norm (model.layers)");
}

void Backend::layerNormBackwardParameters(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
    refuse("layer norm (model.layers)");
}

void Backend::layerNormBackwardInput(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
    refuse("layer norm (model.layers)");
}

void Backend::batchNormForward(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                               const Tensor&) {
    refuse("batch norm (model.kind)");
}

void Backend::batchNormEvaluate(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                const Tensor&) {
    refuse("batch norm (model.kind)");
}

void Backend::batchNormBackwardParameters(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
    refuse("batch norm (model.kind)");
}

void Backend::batchNormBackwardInput(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                     const Tensor&, const Tensor&) {
    refuse("batch norm (model.kind)");
}

void Backend::averagePoolForward(const Tensor&, const Tensor&) {
    refuse("average pooling (model.kind)");
}

void Backend::averagePoolBackward(const Tensor&, const Tensor&) {
    refuse("average pooling (model.kind)");
}

void Backend::dropout(const Tensor&, const Tensor&, const Tensor&, double) {
    refuse("dropout (model.dropout)");
}

void Backend::embeddingForward(const Tensor&, const Tensor&, const Tensor&) {
    refuse("embedding (model.kind)");
}

void Backend::embeddingBackward(const Tensor&, const Tensor&, const Tensor&) {
    refuse("embedding (model.kind)");
}

void Backend::addPositions(const Tensor&, const Tensor&, const Tensor&) {
    refuse("position embedding (model.kind)");
}

void Backend::positionGradient(const Tensor&, const Tensor&) {
    refuse("position embedding (model.kind)");
}

void Backend::attentionForward(const Tensor&, const Tensor&, const Tensor&, const AttentionSpec&) {
    refuse("attention (model.kind)");
}

void Backend::attentionBackward(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                const AttentionSpec&) {
    refuse("attention (model.kind)");
}

}  // namespace ringside
