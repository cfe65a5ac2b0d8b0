// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "config/run_config.h"
#include "run/run_comparison.h"
#include "support/temporary_directory.h"

namespace ringside {

// One experiment trained twice: by Ringside's processes, and by its exported script under real PyTorch.
class TrainedTwice {
  public:
    explicit TrainedTwice(const RunConfig& config);

    std::filesystem::path ringside() const { return m_directory.path() / "ringside"; }
    std::filesystem::path pytorch() const { return m_directory.path() / "pytorch"; }
    RunComparison compare(double tolerance) const;
    // The last validation result in metrics.jsonl.
    static Json lastValidation(const std::filesystem::path& run);

  private:
    TemporaryDirectory m_directory;
};

// Runs PyTorch's Python with these arguments; fails the test, with the output, unless it ends with 0.
void runPython(const std::vector<std::string>& arguments);

// The same by several ranks at once, with the environment that torchrun gives them (Debian's torchrun does not work
// with Debian's Python).
void runRanksAsTorchrun(const std::vector<std::string>& arguments, int ranks);

// SHA-256 over the weights Ringside starts from.
std::string initialWeightsHash(const RunConfig& config);

}  // namespace ringside
