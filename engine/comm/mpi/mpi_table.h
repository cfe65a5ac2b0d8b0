// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside {

// What MPI does for us, as plain functions: the module libringside-mpi.so, the only thing that is linked with an MPI,
// hands them out when a run asks for it. Which MPI it is does not matter to the caller. Functions that start something
// return 0 or an error for text(); one thread at a time.
struct MpiTable {
    static constexpr int kVersion = 2;
    static constexpr const char* kModule = "libringside-mpi.so";
    static constexpr const char* kEntry = "ringsideMpiTable";

    struct Pending {
        alignas(std::max_align_t) std::byte request[16];
    };
    using Group = void*;
    enum Type { kFloat32, kFloat64, kInt64, kByte };
    enum Op { kSum, kMaximum };

    int version;
    // Of the job that a launcher has started; may be called again after its end has not been.
    int (*begin)(Group* all);
    int (*end)();
    int (*rankIn)(Group group);
    int (*sizeOf)(Group group);
    int (*split)(Group group, int colour, int key, Group* part);  // waits for all
    void (*release)(Group group);
    int (*allReduce)(Group group, void* data, int count, Type type, Op op, Pending* pending);  // in place
    int (*allReduceNow)(Group group, void* data, int count, Type type, Op op);                 // waits for all
    int (*broadcast)(Group group, void* data, int count, Type type, int root, Pending* pending);
    int (*allGather)(Group group, const void* in, void* out, int count, Type type, Pending* pending);
    int (*reduceScatter)(Group group, const void* in, void* out, int count, Type type, Op op, Pending* pending);
    int (*barrier)(Group group, Pending* pending);
    int (*send)(Group group, const void* data, int bytes, int to, Pending* pending);
    int (*receive)(Group group, void* data, int bytes, int from, Pending* pending);
    int (*test)(Pending* pending, int* done);
    void (*text)(int error, char* into, std::size_t room);
};

}  // namespace ringside
