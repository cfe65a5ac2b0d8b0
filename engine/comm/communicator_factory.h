// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/store.h"

namespace ringside {

// One rank over memory shared with the other processes of this host: fd is a zero-filled file of at least
// sharedMemoryBytes(worldSize) (run/shared_memory.h), the same for every rank, mapped whole; it may be closed after
// the call. Returns without waiting for the others. Throws CommError when the file is too small or cannot be mapped.
std::unique_ptr<Communicator> makeSharedMemoryCommunicator(int fd, int rank, int worldSize, CommOptions options = {});

// All ranks as threads of this process (tests, teaching): communicator i belongs to the thread that plays rank i.
std::vector<std::unique_ptr<Communicator>> makeLocalCommunicators(int size, CommOptions options = {});

// One rank over TCP (Gloo), on the loopback interface unless the options name another; the ranks find each other, and
// a secret to know each other by, in the store, which must be fresh and the run's alone. Connects to all others before
// it returns. Throws CommError: a rank did not come within the
// timeout, or Gloo was not there when we were built.
std::unique_ptr<Communicator> makeGlooCommunicator(std::shared_ptr<Store> store, int rank, int worldSize,
                                                   CommOptions options = {});

// One rank of several hosts: shared memory within a host, TCP between them. hostOfRank: a number for every rank, the
// same for those on one host. sharedFd: as makeSharedMemoryCommunicator() takes it, for the ranks of this host alone;
// unused by a rank that is alone there. Throws CommError as makeGlooCommunicator() does.
std::unique_ptr<Communicator> makeHierarchicalCommunicator(std::shared_ptr<Store> store, int sharedFd, int rank,
                                                           const std::vector<int>& hostOfRank,
                                                           CommOptions options = {});
// The same, where the ranks find out by themselves who shares memory with whom; -1: this rank with nobody.
std::unique_ptr<Communicator> makeHierarchicalCommunicator(std::shared_ptr<Store> store, int sharedFd, int rank,
                                                           int worldSize, CommOptions options = {});

// One rank of a job that an MPI launcher has started (mpirun, srun --mpi); MPI is loaded by this call. The store, which
// may be null, tells which rank is missing after a failure. Throws CommError: no such job, another one, no MPI here.
std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<Store> store, int rank, int worldSize,
                                                  CommOptions options = {});

// Whether makeGlooCommunicator can work in this build.
bool glooAvailable();

}  // namespace ringside
