// SPDX-License-Identifier: Apache-2.0
// What every communicator must do, as checks that throw, so that they run on threads and in forked processes alike.
#pragma once

#include <cstddef>

#include "comm/communicator.h"

namespace ringside::test {

// inOrder: floats must equal, bit for bit, the sum taken in the order of the ranks; otherwise to 1e-6 of the sum of
// magnitudes. In both cases every rank must hold the same bits.
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
// Two neighbours that send long messages to one another before either receives.
void checkCrossingMessages(Communicator& ranks);
// Checks the faster of the checks above in groups of even and odd ranks, the odd ones in reverse order.
void checkGroups(Communicator& ranks, bool inOrder);

// All of the above at sizes around every boundary.
void checkEverything(Communicator& ranks, bool inOrder);

}  // namespace ringside::test
