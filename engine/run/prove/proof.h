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

// Where two runs part: the first step after which a tensor differs.
struct FirstDifference {
    std::int64_t step = 0;
    std::string layer = {};
    std::string tensor = {};
    double largest = 0;  // difference of a value
    std::string why = {};
};

struct ProofLine {
    std::string strategy = {};
    std::string reference = {};
    std::optional<bool> equal = {};  // none: it could not be run
    bool asItMust = true;
    std::string sha256 = {};  // of its weights
    std::optional<FirstDifference> first = {};
    std::string problem = {};  // why it could not be run

    Json toJson() const;
    std::string text() const;
};

// Counts of what became of the cases, references left out.
class ProofTally {
  public:
    void add(const ProofLine& line);
    bool asItMust() const { return m_wrong == 0; }
    // "5 equal, 1 differs as expected, 2 could not be tried, so that nothing is known of them"
    std::string text() const;

  private:
    std::int64_t m_equal = 0;
    std::int64_t m_expected = 0;  // different, as they may be
    std::int64_t m_wrong = 0;     // different, although they must be equal
    std::int64_t m_untried = 0;
};

// Trains a case for so many steps; the weights' file that it ends with, or why there is none.
using ProofRun = std::function<Result<std::filesystem::path>(const ProofCase& what, std::int64_t steps)>;

// Runs cases and compares their weights, bit for bit; what a case needs to be compared with is run once.
class Proof {
  public:
    Proof(std::vector<ProofCase> cases, ProofRun run) : m_cases(std::move(cases)), m_run(std::move(run)) {}

    const std::vector<ProofCase>& cases() const { return m_cases; }
    ProofLine prove(const ProofCase& one);

  private:
    const ProofCase& named(const std::string& name) const;
    const Result<std::filesystem::path>& weightsOf(const ProofCase& one, std::int64_t steps);
    std::optional<FirstDifference> firstDifference(const ProofCase& one, const ProofCase& other);

    std::vector<ProofCase> m_cases;
    ProofRun m_run;
    std::map<std::pair<std::string, std::int64_t>, Result<std::filesystem::path>> m_weights;
};

// The first tensor, by name, that differs between two files, and by how much at most. The step is left open.
std::optional<FirstDifference> compareWeights(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace ringside
