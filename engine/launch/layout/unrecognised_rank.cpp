// SPDX-License-Identifier: Apache-2.0
#include "launch/layout/unrecognised_rank.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "launch/layout/whole_number.h"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 5> kRankWords = {"RANK", "RANKID", "PROCID", "TASKID", "PE"};
constexpr std::array<std::string_view, 10> kSizeWords = {"SIZE",  "NRANKS", "NPROCS", "NTASKS",  "NNODES",
                                                         "NODES", "RANKS",  "TASKS",  "NUMPROC", "PROCS"};
// First words of variable names that several launchers use, as in NODE_RANK and LOCAL_RANK. A variable with such a
// first word has no prefix that identifies a launcher.
constexpr std::array<std::string_view, 5> kSharedWords = {"NODE", "LOCAL", "GLOBAL", "GROUP", "WORLD"};
// Words in the names of variables whose value is the number of processes of one host or the number of hosts. Neither
// value is the number of all processes.
constexpr std::array<std::string_view, 4> kPartWords = {"LOCAL", "NODE", "NODES", "NNODES"};
// Prefixes of launchers that set a rank even for a single process, so that the rank does not prove that there are
// several processes. byName() checks the number of processes of these launchers. Slurm sets the rank in a batch script,
// where SLURM_TASKS_PER_NODE is the number of CPUs with --exclusive; SageMaker sets SM_CURRENT_HOST_RANK on a single
// host.
constexpr std::array<std::string_view, 2> kCountedByName = {"SLURM", "SM"};
constexpr const char* kRemedy =
    "start it with srun, mpirun or torchrun, or give each process --rank R --world-size W --master HOST:PORT (a single "
    "rank: --rank 0 --world-size 1)";

bool has(const auto& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

std::vector<std::string_view> wordsOf(std::string_view name) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        words.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

// Variable of the form PREFIX_..._RANK or PREFIX_..._SIZE whose value is a whole number.
struct Variable {
    std::string name;
    std::string_view prefix;
    int value = 0;
    bool ofPart = false;  // true if `value` is the number of processes of one host or the number of hosts
};

std::vector<Variable> variablesWith(const LaunchSources& sources, const auto& wanted) {
    std::vector<Variable> found;
    for (const auto& [name, text] : sources.environment) {
        const std::vector<std::string_view> words = wordsOf(name);
        const std::optional<int> value = wholeNumberIn(text);
        const bool isWanted =
            words.size() > 1 && std::ranges::any_of(words, [&](auto word) { return has(wanted, word); });
        const bool ofArray = has(words, "ARRAY");
        if (!value || !isWanted || ofArray) continue;
        const bool ofPart = std::ranges::any_of(words, [](auto word) { return has(kPartWords, word); });
        found.push_back({name, has(kSharedWords, words.front()) ? std::string_view() : words.front(), *value, ofPart});
    }
    return found;
}

Problem refused(const std::string& variable, const std::string& value, const std::string& meaning) {
    return {variable,
            "is " + value + ": " + meaning + ", but ringside-worker cannot find out its own rank and would train alone",
            kRemedy};
}

std::optional<Problem> byRankVariables(const LaunchSources& sources) {
    const std::vector<Variable> sizes = variablesWith(sources, kSizeWords);
    for (const Variable& rank : variablesWith(sources, kRankWords)) {
        if (has(kCountedByName, rank.prefix)) continue;
        bool isSingle = false;
        for (const Variable& size : sizes) {
            if (size.prefix != rank.prefix) continue;
            isSingle = isSingle || !size.ofPart;
            if (size.value < 2) continue;
            return refused(rank.name,
                           std::to_string(rank.value) + " and " + size.name + " " + std::to_string(size.value),
                           "a launcher started several processes");
        }
        if (!isSingle || rank.value > 0)
            return refused(rank.name, std::to_string(rank.value), "a launcher has given this process a rank");
    }
    return {};
}

// Returns a problem if a variable of torchrun, SageMaker, an mpiexec or Slurm means several processes. These variables
// are checked by name, because byRankVariables() does not recognise them.
std::optional<Problem> byName(const LaunchSources& sources) {
    for (const char* name : {"PET_NNODES", "PET_NPROC_PER_NODE"}) {
        const auto value = sources.find(name);
        if (value && value != "1" && value != "1:1")
            return refused(name, *value, "a setting for torchrun on several processes");
    }
    const auto hosts = sources.find("SM_HOSTS"), hostCount = sources.find("SM_HOST_COUNT");
    if (hosts && hosts->find(',') != std::string::npos)
        return refused("SM_HOSTS", *hosts, "SageMaker has several hosts");
    if (hostCount && wholeNumberIn(*hostCount).value_or(1) > 1)
        return refused("SM_HOST_COUNT", *hostCount, "SageMaker has several hosts");
    if (const auto id = sources.find("PMI_ID"))
        return refused("PMI_ID", *id, "an mpiexec has given this process a rank");
    for (const char* name : {"SLURM_NTASKS", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_HET_SIZE"}) {
        const auto value = sources.find(name);
        if (value && wholeNumberIn(*value).value_or(1) > 1)
            return Problem{name, "is " + *value + ", but srun did not start this process: it would train alone",
                           kRemedy};
    }
    return {};
}

}  // namespace

std::optional<Problem> unrecognisedRank(const LaunchSources& sources) {
    if (auto problem = byName(sources)) return problem;
    return byRankVariables(sources);
}

}  // namespace ringside
