// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// CPUs that the calling thread may run on (its affinity mask), those of one core beside one another. Empty where the
// system does not tell.
std::vector<int> allowedCpus();

// Of the host, whoever may use them.
int onlineCpus();

// The place-th of so many equal shares, to whole CPUs; empty where there are fewer CPUs than shares.
std::vector<int> shareOfCpus(const std::vector<int>& cpus, int place, int shares);

// This process's threads, and those that they start from now on, run on these CPUs alone; whether they do.
bool keepThreadsOn(const std::vector<int>& cpus);

// "0-3,8".
std::string cpuListText(std::vector<int> cpus);

}  // namespace ringside
