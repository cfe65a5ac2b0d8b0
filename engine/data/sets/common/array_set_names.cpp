// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/sets/common/array_set.h"

namespace ringside {
namespace {

using std::filesystem::path;
using Words = std::vector<std::pair<std::string, std::string>>;

// Returns `name` with the first occurrence of each word replaced. Returns an empty text if none of the words occurs.
std::string renamed(std::string name, const Words& words) {
    bool changed = false;
    for (const auto& [from, to] : words) {
        const std::size_t at = name.find(from);
        if (at == std::string::npos) continue;
        name.replace(at, from.size(), to);
        changed = true;
    }
    return changed ? name : std::string();
}

bool isFile(const path& candidate) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(candidate, ignored);
}

// Applies each list of replacements to the name of `file`. Returns the first file with such a name that exists, with or
// without .gz, in the directory of `file`.
std::optional<path> firstBeside(const path& file, const std::vector<Words>& renamings) {
    for (const Words& words : renamings) {
        std::string name = renamed(file.filename().string(), words);
        if (name.empty()) continue;
        for (const bool other : {false, true}) {
            if (other && name.ends_with(".gz"))
                name.resize(name.size() - 3);
            else if (other)
                name += ".gz";
            if (isFile(file.parent_path() / name)) return file.parent_path() / name;
        }
    }
    return {};
}

}  // namespace

std::optional<path> guessLabelsFile(const path& samples) {
    static const std::vector<Words> renamings = {
        {{"images", "labels"}, {"idx3", "idx1"}},
        {{"images", "labels"}, {"idx4", "idx1"}},
        {{"images", "labels"}},
        {{"features", "labels"}},
        {{"features", "targets"}},
        {{"data", "labels"}},
        {{"data", "targets"}},
        {{"x_", "y_"}},
        {{"X_", "y_"}},
        {{"_x", "_y"}},
        {{"X.", "y."}},
        {{"x.", "y."}},
    };
    return firstBeside(samples, renamings);
}

std::optional<path> guessTestFile(const path& samples) {
    static const std::vector<Words> renamings = {{{"train", "t10k"}}, {{"train", "test"}}, {{"train", "val"}}};
    return firstBeside(samples, renamings);
}

std::optional<path> findSamplesFile(const path& directory) {
    for (const char* inner : {"", "raw", "MNIST/raw", "FashionMNIST/raw", "KMNIST/raw"}) {
        std::vector<path> found;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(directory / inner, ignored)) {
            const std::string name = entry.path().filename().string();
            const bool samples = name.find("images") != std::string::npos && name.find("idx") != std::string::npos;
            if (samples && isFile(entry.path())) found.push_back(entry.path());
        }
        // Sorts files of training samples first. Of a file and its .gz version, the uncompressed file comes first
        // alphabetically.
        std::ranges::sort(found, {}, [](const path& p) {
            return std::pair(p.filename().string().find("train") == std::string::npos, p.filename().string());
        });
        if (!found.empty()) return found.front();
    }
    return {};
}

}  // namespace ringside
