// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/json/json_fwd.h"
#include "run/prove/proof_cases.h"

namespace ringside {

// First difference between two runs: the first step after which a tensor differs.
struct FirstDifference {
    std::int64_t step = 0;
    std::string layer = {};
    std::string tensor = {};
    double largest = 0;  // largest absolute difference between corresponding values of the tensor in the two runs
    std::string why = {};
};

// Result of one case (one training of the experiment under a strategy), compared with its reference case.
struct ProofLine {
    std::string strategy = {};
    std::string reference = {};
    std::optional<bool> equal = {};  // true if the bits of the case equal those of its reference; empty: the case could
                                     // not be run
    bool isAsExpected = true;        // true if the bits are equal, or if they are different and are allowed to be
    std::string sha256 = {};         // SHA-256 of the weights file, in hex
    std::optional<FirstDifference> first = {};
    std::string problem = {};  // reason why the case could not be run

    Json toJson() const;
    std::string text() const;
};

// Number of cases with each result. Reference cases are not counted.
class ProofTally {
  public:
    void add(const ProofLine& line);
    bool isAsExpected() const { return m_wrong == 0; }
    // True if at least one case was compared with its reference, or if no case failed to run.
    bool hasResult() const { return m_untried == 0 || m_equal + m_expected + m_wrong > 0; }
    // Returns a text such as "5 equal, 1 differs as expected".
    std::string text() const;

  private:
    std::int64_t m_equal = 0;
    std::int64_t m_expected = 0;  // number of cases whose bits differ and are allowed to differ
    std::int64_t m_wrong = 0;     // number of cases that differ although they must be equal
    std::int64_t m_untried = 0;
};

// Function that trains a case for `steps` steps. Returns the file with the final weights, or a problem.
using ProofRun = std::function<Result<std::filesystem::path>(const ProofCase& what, std::int64_t steps)>;

// Compares the final weights of cases bit for bit. Keeps the weights of each training: no case is trained twice for the
// same number of steps.
class Proof {
  public:
    Proof(std::vector<ProofCase> cases, ProofRun run) : m_cases(std::move(cases)), m_run(std::move(run)) {}

    const std::vector<ProofCase>& cases() const { return m_cases; }
    ProofLine prove(const ProofCase& one);

  private:
    const ProofCase& findCase(const std::string& name) const;
    const Result<std::filesystem::path>& weightsOf(const ProofCase& one, std::int64_t steps);
    std::optional<FirstDifference> firstDifference(const ProofCase& one, const ProofCase& other);

    std::vector<ProofCase> m_cases;
    ProofRun m_run;
    std::map<std::pair<std::string, std::int64_t>, Result<std::filesystem::path>> m_weights;
};

// Returns the first tensor, by name, that differs between two weights files, and its largest difference; empty if all
// tensors of the file `one` equal those of the file `other`. The member `step` of the result is 0. If a file cannot be
// read or a tensor is missing, `why` receives the reason.
std::optional<FirstDifference> compareWeights(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace ringside
