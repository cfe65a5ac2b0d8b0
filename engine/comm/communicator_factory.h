// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/store.h"

namespace ringside {

// Creates the communicator of one rank over memory shared with the other processes of this host. `fd` is a zero-filled
// file of at least sharedMemoryBytes(worldSize) bytes (launch/channels/shared_memory.h), the same file for every rank.
// The function maps the whole file; the caller may close `fd` afterwards. Does not wait for the other ranks. Throws
// CommError if the file is too small or cannot be mapped.
std::unique_ptr<Communicator> makeSharedMemoryCommunicator(int fd, int rank, int worldSize, CommOptions options = {});

// Creates the communicators of a run whose ranks are threads of this process, for tests and teaching. The thread of
// rank i uses element i of the result.
std::vector<std::unique_ptr<Communicator>> makeLocalCommunicators(int size, CommOptions options = {});

// Creates the communicator of one rank over TCP (Gloo), on the loopback interface unless the options select another.
// The ranks exchange their addresses and a shared secret through the store, which must be empty and used by this run
// only. Blocks until this rank is connected to all others. Throws CommError if a rank does not connect within the
// timeout or if this build has no Gloo.
std::unique_ptr<Communicator> makeGlooCommunicator(std::shared_ptr<Store> store, int rank, int worldSize,
                                                   CommOptions options = {});

// Creates the communicator of one rank of a run on several hosts: shared memory within each host, TCP between hosts.
// hostOfRank[r] is an arbitrary number that identifies the host of rank r. `sharedFd` is as for
// makeSharedMemoryCommunicator(), sized for the ranks of this host; it is unused by a rank that is alone on its host.
// Throws CommError as makeGlooCommunicator() does.
std::unique_ptr<Communicator> makeHierarchicalCommunicator(std::shared_ptr<Store> store, int sharedFd, int rank,
                                                           const std::vector<int>& hostOfRank,
                                                           CommOptions options = {});
// Creates the communicator of one rank of a run on several hosts whose assignment to hosts is unknown: the ranks detect
// which of them share memory. Pass -1 as `sharedFd` for a rank that shares no memory.
std::unique_ptr<Communicator> makeHierarchicalCommunicator(std::shared_ptr<Store> store, int sharedFd, int rank,
                                                           int worldSize, CommOptions options = {});

// Creates the communicator of one rank of a job started by an MPI launcher (mpirun, srun --mpi). Loads the MPI library.
// `store` may be null; it is used to find the missing rank after a failure. Throws CommError if there is no such job,
// if its size or rank differs from the arguments, or if MPI is not installed.
std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<Store> store, int rank, int worldSize,
                                                  CommOptions options = {});

// True if this build supports makeGlooCommunicator().
bool glooAvailable();

}  // namespace ringside
