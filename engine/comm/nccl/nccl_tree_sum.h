// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "comm/nccl/nccl_api.h"

namespace ringside {

// Sums over ranks along the binary tree of training.reduction canonical (ReduceOp::kTreeSum), which NCCL does not
// offer. Each rank receives its block of the values of all ranks, by sends and receives of NCCL, and a kernel adds the
// values in the order of the tree. In an all-reduce, each rank then sends the sums of its block to all other ranks. A
// rank sends as many bytes as with a ring.
class NcclTreeSum {
  public:
    // NCCL communicator, stream and ranks of a sum. All operations run on `stream`, and all memory is device memory.
    struct Ranks {
        NcclComm comm = nullptr;
        int rank = 0;
        int size = 1;  // number of ranks, a power of two
        // Waits until a call of NCCL is no longer in progress, so that the work enqueued next runs after it. Throws if
        // the call failed.
        std::function<void(NcclResult)> waitForResult;
    };

    // api and device must outlive this object.
    NcclTreeSum(NcclApi& api, GpuRuntime& device, DeviceStream stream)
        : m_api(api), m_device(device), m_stream(stream) {}

    void release();  // frees the memory; no work may be in progress on the stream

    // allReduce() and reduceScatter() enqueue a sum and return the result code of the last call of NCCL. `in` of
    // reduceScatter() holds ranks.size blocks of out.size() values. A sum that is larger than all earlier ones
    // allocates memory.
    NcclResult allReduce(std::span<float> values, const Ranks& ranks);
    NcclResult reduceScatter(std::span<const float> in, std::span<float> out, const Ranks& ranks);

  private:
    // Division of the values into one block per rank. Each rank computes the sum of its block over all ranks. The last
    // blocks of an all-reduce may be shorter or empty.
    struct Blocks {
        std::size_t whole = 0;  // number of values in each block except the shorter last ones
        std::size_t all = 0;    // number of values in all blocks together
        std::size_t begin(int rank) const;
        std::size_t count(int rank) const;
    };
    static Blocks blocksOf(std::size_t count, int ranks);

    void reserve(std::size_t count);  // grows the memory to `count` floats
    NcclResult collectBlocks(const float* in, const Blocks& blocks, const Ranks& ranks);
    NcclResult exchangeSums(float* values, const Blocks& blocks, const Ranks& ranks);
    // Runs call(peer) for each other rank as one group of NCCL.
    NcclResult callForEachPeer(const Ranks& ranks, const std::function<NcclResult(int peer)>& call);

    NcclApi& m_api;
    GpuRuntime& m_device;
    DeviceStream m_stream;
    float* m_memory = nullptr;
    std::size_t m_capacity = 0;   // size of the memory, as a number of floats
    std::vector<void*> m_pieces;  // memory for received values; earlier, smaller pieces are kept, because sums in
                                  // progress use them
};

}  // namespace ringside
