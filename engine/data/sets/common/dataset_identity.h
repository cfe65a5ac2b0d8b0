// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

class Dataset;

// Returns a SHA-256 hash in hexadecimal by which data sets can be distinguished. The hash covers the number of
// samples, their shape, and the labels or targets of some of them. Features are left out, because their last bits can
// depend on the computer.
std::string identityOf(const Dataset& data);

}  // namespace ringside
