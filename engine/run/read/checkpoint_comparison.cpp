// SPDX-License-Identifier: Apache-2.0
#include "run/read/checkpoint_comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "base/json/json.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/checkpoint/safetensors.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

// Returns the weights files of all complete checkpoints by step.
std::map<std::int64_t, fs::path> weightsFiles(const fs::path& run) {
    std::map<std::int64_t, fs::path> files;
    std::error_code error;
    for (fs::directory_iterator at(run / kCheckpointsName, error), end; !error && at != end; at.increment(error)) {
        const Result<Json> json = readJsonFile(at->path() / kManifestName);
        if (!json) continue;
        const Result<CheckpointManifest> manifest = CheckpointManifest::fromJson(json.value(), kManifestName);
        if (manifest) files[manifest.value().step] = at->path() / kWeightsName;
    }
    return files;
}

std::vector<float> valuesOf(const SafetensorsFile& file, const SafetensorsFile::Entry& entry) {
    std::vector<float> values(entry.size / sizeof(float));
    file.read(entry, std::as_writable_bytes(std::span(values)));
    return values;
}

double normOf(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum);
}

// Returns the largest difference between the values of two tensors, relative to the largest absolute value; infinite if
// only one of two values is finite.
double relativeDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        if (std::isnan(x) && std::isnan(y)) continue;
        if (x == y) {
            if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
            continue;
        }
        if (!std::isfinite(x) || !std::isfinite(y)) return INFINITY;
        difference = std::max(difference, std::abs(x - y));
        largest = std::max({largest, std::abs(x), std::abs(y)});
    }
    return difference == 0 ? 0 : difference / largest;
}

// Compares the weights of both runs' checkpoints of one step.
class StepComparison {
  public:
    StepComparison(CheckpointComparison& result, std::int64_t step) : m_result(result), m_step(step) {}

    void compare(const SafetensorsFile& a, const SafetensorsFile& b) {
        for (const auto& [name, entry] : b.entries())
            if (a.find(name) == nullptr) skip(name, "is missing in run A");
        for (const auto& [name, entry] : a.entries()) {
            const SafetensorsFile::Entry* other = b.find(name);
            if (other == nullptr) {
                skip(name, "is missing in run B");
            } else if (entry.type != other->type || entry.shape != other->shape) {
                skip(name, "has another type or shape in run B than in run A");
            } else if (entry.type == "F32") {
                compareValues(name, valuesOf(a, entry), valuesOf(b, *other));
            } else if (a.bytes(entry) != b.bytes(*other)) {
                skip(name, "of type " + entry.type + " has other values in run B than in run A");
            }
        }
    }

  private:
    void skip(const std::string& name, const std::string& why) {
        m_result.notCompared.push_back(name + " of step " + std::to_string(m_step) + " " + why);
    }
    void compareValues(const std::string& name, const std::vector<float>& a, const std::vector<float>& b) {
        const double relative = relativeDifference(a, b);
        ++m_result.tensors;
        m_result.largest = std::max(m_result.largest, relative);
        if (relative <= m_result.tolerance) return;
        ++m_result.differing;
        if (m_result.first) return;
        const double norm = normOf(a);
        m_result.first = WeightDifference{m_step, name, relative, norm > 0 ? normOf(b) / norm : NAN};
    }

    CheckpointComparison& m_result;
    std::int64_t m_step;
};

}  // namespace

Result<CheckpointComparison> compareCheckpoints(const fs::path& a, const fs::path& b, double tolerance) {
    CheckpointComparison result{.tolerance = tolerance, .steps = {}, .first = {}, .notCompared = {}};
    const std::map<std::int64_t, fs::path> ofA = weightsFiles(a), ofB = weightsFiles(b);
    for (const auto& [step, file] : ofA) {
        const auto other = ofB.find(step);
        if (other == ofB.end()) continue;
        const Result<SafetensorsFile> one = SafetensorsFile::open(file);
        if (!one) return one.problem();
        const Result<SafetensorsFile> two = SafetensorsFile::open(other->second);
        if (!two) return two.problem();
        result.steps.push_back(step);
        StepComparison(result, step).compare(one.value(), two.value());
        if (result.first) break;
    }
    return result;
}

}  // namespace ringside
