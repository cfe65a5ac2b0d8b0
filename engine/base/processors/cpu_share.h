// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// Returns the CPUs that the calling thread may run on (its affinity mask), sorted so that CPUs of one core are
// adjacent. Empty if the mask cannot be read.
std::vector<int> allowedCpus();

// Returns the number of CPUs of the host that are online, regardless of affinity.
int onlineCpus();

// Divides the CPUs into `shares` contiguous shares of nearly equal size and returns the share with index `share` (from
// 0). Empty if there are fewer CPUs than shares.
std::vector<int> shareOfCpus(const std::vector<int>& cpus, int share, int shares);

// Sets the affinity of all threads of this process, and of the threads that they start later, to `cpus`. True if it
// succeeded for every thread.
bool setThreadAffinity(const std::vector<int>& cpus);

// Returns the CPUs as a list of ranges, such as "0-3,8".
std::string cpuListText(std::vector<int> cpus);

}  // namespace ringside
