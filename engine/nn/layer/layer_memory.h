// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/tensor.h"

namespace ringside {

class Backend;

// Memory that layers use in turns: what one prepares for is overwritten by the next.
class TakenInTurns {
  public:
    explicit TakenInTurns(Backend& backend) : m_backend(backend) {}

    void rewind() { m_next = 0; }  // from here on another layer
    Tensor take(const Shape& shape, DType type);

  private:
    Backend& m_backend;
    std::vector<Tensor> m_blocks;
    std::size_t m_next = 0;
};

// Where a layer's memory comes from, which it asks for once: the backend's, or such as others use as well.
class LayerMemory {
  public:
    LayerMemory(Backend& backend) : m_backend(&backend) {}  // NOLINT(google-explicit-constructor)
    LayerMemory(Backend& backend, TakenInTurns& inTurns) : m_backend(&backend), m_inTurns(&inTurns) {}

    Backend& backend() const { return *m_backend; }
    // What the way back needs of the way forward.
    Tensor kept(const Shape& shape, DType type) const;
    // What the way back needs for itself.
    Tensor transient(const Shape& shape, DType type) const { return kept(shape, type); }

  private:
    Backend* m_backend;
    TakenInTurns* m_inTurns = nullptr;
};

}  // namespace ringside
