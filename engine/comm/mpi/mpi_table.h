// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside {

// Functions of MPI as a table of plain function pointers, independent of the MPI implementation. The module
// libringside-mpi.so, the only binary that is linked with MPI, provides the table; a run loads the module on demand.
// Functions that start an operation return 0 or an error code for text(). Only one thread at a time may call them.
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
    // Initialises MPI and returns the group of all ranks of the job. Repeated calls are allowed until end() is called.
    int (*begin)(Group* all);
    int (*end)();
    int (*rankIn)(Group group);
    int (*sizeOf)(Group group);
    int (*split)(Group group, int colour, int key, Group* part);  // splits the group; blocks until all ranks call it
    void (*release)(Group group);
    // Starts a reduction with `op` over all ranks. `data` is both input and output.
    int (*allReduce)(Group group, void* data, int count, Type type, Op op, Pending* pending);
    // Reduces over all ranks with `op`; blocks until all ranks call it.
    int (*allReduceNow)(Group group, void* data, int count, Type type, Op op);
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
