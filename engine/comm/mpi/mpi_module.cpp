// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "comm/mpi/mpi_table.h"

namespace ringside {
namespace {

static_assert(sizeof(MPI_Request) <= sizeof(MpiTable::Pending));

MPI_Comm commOf(MpiTable::Group group) {
    return *static_cast<MPI_Comm*>(group);
}

MPI_Request* requestOf(MpiTable::Pending* pending) {
    return reinterpret_cast<MPI_Request*>(pending->request);
}

MPI_Datatype typeOf(MpiTable::Type type) {
    const std::array<MPI_Datatype, 4> types{MPI_FLOAT, MPI_DOUBLE, MPI_INT64_T, MPI_UNSIGNED_CHAR};
    return types[static_cast<std::size_t>(type)];
}

MPI_Op opOf(MpiTable::Op op) {
    return op == MpiTable::kSum ? MPI_SUM : MPI_MAX;
}

int keep(MPI_Comm comm, MpiTable::Group* group) {
    *group = new MPI_Comm(comm);
    return MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

int begin(MpiTable::Group* all) {
    int begun = 0;
    MPI_Initialized(&begun);
    int provided = MPI_THREAD_SERIALIZED;
    const int error = begun ? MPI_SUCCESS : MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (error != MPI_SUCCESS) return error;
    if (provided < MPI_THREAD_SERIALIZED) return MPI_ERR_OTHER;
    return keep(MPI_COMM_WORLD, all);
}

int end() {
    return MPI_Finalize();
}

int rankIn(MpiTable::Group group) {
    int rank = -1;
    MPI_Comm_rank(commOf(group), &rank);
    return rank;
}

int sizeOfGroup(MpiTable::Group group) {
    int size = 0;
    MPI_Comm_size(commOf(group), &size);
    return size;
}

int split(MpiTable::Group group, int colour, int key, MpiTable::Group* part) {
    *part = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    const int error = MPI_Comm_split(commOf(group), colour < 0 ? MPI_UNDEFINED : colour, key, &comm);
    if (error != MPI_SUCCESS || comm == MPI_COMM_NULL) return error;
    return keep(comm, part);
}

void release(MpiTable::Group group) {
    delete static_cast<MPI_Comm*>(group);
}

int allReduce(MpiTable::Group group, void* data, int count, MpiTable::Type type, MpiTable::Op op,
              MpiTable::Pending* pending) {
    return MPI_Iallreduce(MPI_IN_PLACE, data, count, typeOf(type), opOf(op), commOf(group), requestOf(pending));
}

int allReduceNow(MpiTable::Group group, void* data, int count, MpiTable::Type type, MpiTable::Op op) {
    return MPI_Allreduce(MPI_IN_PLACE, data, count, typeOf(type), opOf(op), commOf(group));
}

int broadcast(MpiTable::Group group, void* data, int count, MpiTable::Type type, int root, MpiTable::Pending* pending) {
    return MPI_Ibcast(data, count, typeOf(type), root, commOf(group), requestOf(pending));
}

int allGather(MpiTable::Group group, const void* in, void* out, int count, MpiTable::Type type,
              MpiTable::Pending* pending) {
    return MPI_Iallgather(in, count, typeOf(type), out, count, typeOf(type), commOf(group), requestOf(pending));
}

int reduceScatter(MpiTable::Group group, const void* in, void* out, int count, MpiTable::Type type, MpiTable::Op op,
                  MpiTable::Pending* pending) {
    return MPI_Ireduce_scatter_block(in, out, count, typeOf(type), opOf(op), commOf(group), requestOf(pending));
}

int barrier(MpiTable::Group group, MpiTable::Pending* pending) {
    return MPI_Ibarrier(commOf(group), requestOf(pending));
}

int send(MpiTable::Group group, const void* data, int bytes, int to, MpiTable::Pending* pending) {
    return MPI_Isend(data, bytes, MPI_BYTE, to, 0, commOf(group), requestOf(pending));
}

int receive(MpiTable::Group group, void* data, int bytes, int from, MpiTable::Pending* pending) {
    return MPI_Irecv(data, bytes, MPI_BYTE, from, 0, commOf(group), requestOf(pending));
}

int test(MpiTable::Pending* pending, int* done) {
    return MPI_Test(requestOf(pending), done, MPI_STATUS_IGNORE);
}

void text(int error, char* into, std::size_t room) {
    std::array<char, MPI_MAX_ERROR_STRING> words{};
    int length = 0;
    if (MPI_Error_string(error, words.data(), &length) != MPI_SUCCESS) length = 0;
    std::snprintf(into, room, "%.*s", length, words.data());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const MpiTable* ringsideMpiTable() {
    static const MpiTable table{
        MpiTable::kVersion, begin,     end,           rankIn,  sizeOfGroup, split,   release, allReduce, allReduceNow,
        broadcast,          allGather, reduceScatter, barrier, send,        receive, test,    text};
    return &table;
}

}  // namespace ringside
