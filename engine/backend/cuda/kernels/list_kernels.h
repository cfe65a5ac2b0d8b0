// SPDX-License-Identifier: Apache-2.0
// Lists of small pieces of work that one kernel launch does, for host and device. A list is the argument of a kernel:
// it lies in no memory of the device, so that a launch copies nothing and can be recorded as part of a CUDA graph.
#pragma once

#include <cstddef>

#include "backend/host_device.h"

namespace ringside::cuda {

inline constexpr unsigned kListCapacity = 40;           // maximum number of entries in a list, which one launch
                                                        // processes
inline constexpr std::size_t kMaxArgumentBytes = 4096;  // limit of a kernel's arguments on every GPU

// List of kernels of value_kernels.h that one launch computes. Each entry has its own number of values and of thread
// blocks.
template <class Value>
class ValueList {
  public:
    bool isFull() const { return m_size == kListCapacity; }
    unsigned blocks() const { return m_size == 0 ? 0 : m_blockEnds[m_size - 1]; }

    // Adds an entry: the launch calls value(i) for each i in [0, count), in `blocks` thread blocks. The list must not
    // be full.
    void add(const Value& value, std::size_t count, unsigned blocks) {
        m_blockEnds[m_size] = this->blocks() + blocks;
        m_counts[m_size] = count;
        m_values[m_size] = value;
        ++m_size;
    }

    // Computes the values that one thread of the launch processes. The launch must have blocks() thread blocks.
    RINGSIDE_HOST_DEVICE void run(unsigned block, unsigned thread, unsigned threadsPerBlock) const {
        unsigned entry = 0;
        while (block >= m_blockEnds[entry]) ++entry;
        const unsigned first = entry == 0 ? 0 : m_blockEnds[entry - 1];
        const std::size_t step = static_cast<std::size_t>(m_blockEnds[entry] - first) * threadsPerBlock;
        for (std::size_t i = static_cast<std::size_t>(block - first) * threadsPerBlock + thread; i < m_counts[entry];
             i += step)
            m_values[entry](i);
    }

  private:
    Value m_values[kListCapacity];
    std::size_t m_counts[kListCapacity];
    unsigned m_blockEnds[kListCapacity];  // for each entry, the number of blocks of this entry and all earlier ones
    unsigned m_size = 0;
};

// Values whose squares are summed.
struct SummedValues {
    const float* values;
    std::size_t count;
};

// Tensors whose squares are summed by one launch.
struct SquaresList {
    SummedValues tensors[kListCapacity];
};

}  // namespace ringside::cuda
