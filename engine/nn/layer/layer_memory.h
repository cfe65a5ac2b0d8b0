// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/tensor.h"

namespace ringside {

class Backend;

// Memory that layers share: each layer overwrites the values of the previous one.
class ReusedMemory {
  public:
    explicit ReusedMemory(Backend& backend) : m_backend(backend) {}

    void reset() { m_next = 0; }  // makes all pieces of the memory available again, for the next layer
    Tensor allocate(const Shape& shape, DType type);

  private:
    Backend& m_backend;
    std::vector<Tensor> m_blocks;
    std::size_t m_next = 0;
};

// Allocator of a layer's memory. Uses the backend's memory, or memory that the layer shares with other layers.
class LayerMemory {
  public:
    LayerMemory(Backend& backend) : m_backend(&backend) {}  // NOLINT(google-explicit-constructor)
    LayerMemory(Backend& backend, ReusedMemory& shared) : m_backend(&backend), m_shared(&shared) {}

    Backend& backend() const { return *m_backend; }
    // Allocates memory for values that the forward pass stores for the backward pass.
    Tensor allocate(const Shape& shape, DType type) const;
    // Allocates working memory of the backward pass.
    Tensor allocateScratch(const Shape& shape, DType type) const { return allocate(shape, type); }

  private:
    Backend* m_backend;
    ReusedMemory* m_shared = nullptr;
};

}  // namespace ringside
