// SPDX-License-Identifier: Apache-2.0
// Checks of the behaviour that every communicator must have. They throw on failure instead of using Catch2, so that
// they can run on threads and in forked processes.
#pragma once

#include <cstddef>

#include "comm/communicator.h"

namespace ringside::test {

// Checks sums of floats. inOrder: the sum must equal, bit for bit, the sum taken in the order of the ranks; otherwise
// it must agree to 1e-6 of the sum of magnitudes. In both cases every rank must have the same bits.
void checkFloatSum(Communicator& ranks, std::size_t count, bool inOrder);
void checkFloatSumInAllocatedMemory(Communicator& ranks, std::size_t count, bool inOrder);
void checkFloatMaximum(Communicator& ranks, std::size_t count);
void checkIntegerSum(Communicator& ranks, std::size_t count);
void checkDoubleAndByteReductions(Communicator& ranks);
void checkBroadcast(Communicator& ranks, std::size_t count);
void checkAllGather(Communicator& ranks, std::size_t count);
void checkReduceScatter(Communicator& ranks, std::size_t count);
void checkSendAndRecv(Communicator& ranks, std::size_t count);
void checkAsyncOrder(Communicator& ranks);
void checkAsyncGatherAndScatter(Communicator& ranks);
// Checks that two neighbours can send long messages to each other before either receives.
void checkCrossingMessages(Communicator& ranks);
// Checks the faster of the checks above in groups of even and odd ranks, the odd ones in reverse order.
void checkGroups(Communicator& ranks, bool inOrder);

// Runs all of the above checks, with buffer sizes at and next to each internal limit of the communicators.
void checkEverything(Communicator& ranks, bool inOrder);

}  // namespace ringside::test
