// SPDX-License-Identifier: Apache-2.0
#include "run/record/run_record.h"

#include <limits>

#include "base/files.h"
#include "run/record/run_directory.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

double numberOf(const Json& line, const char* key) {
    const auto found = line.find(key);
    return found != line.end() && found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::int64_t integerOf(const Json& line, const char* key, std::int64_t missing) {
    const auto found = line.find(key);
    return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : missing;
}

std::string lineText(const Json& line, const char* key) {
    const auto found = line.find(key);
    return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Calls take(line, number) for every complete line until it returns a problem.
template <class Take>
std::optional<Problem> forEachLine(std::string_view text, Take&& take) {
    std::int64_t number = 0;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        if (auto problem = take(text.substr(0, end), ++number)) return problem;
        text.remove_prefix(end + 1);
    }
    return {};
}

class MetricsReader {
  public:
    MetricsReader(RunRecord& record, std::string file) : m_record(record), m_file(std::move(file)) {}

    std::optional<Problem> take(std::string_view text, std::int64_t number) {
        const std::string where = m_file + " line " + std::to_string(number);
        const Result<Json> line = parseJson(text, where);
        if (!line) return line.problem();
        if (!line.value().is_object()) return Problem{where, "is no JSON object", "name a directory with a run"};
        const std::string kind = lineText(line.value(), "kind");
        if (kind == "step") return takeStep(line.value(), where);
        if (kind == "epoch") {
            m_record.epochs.push_back({integerOf(line.value(), "epoch", 0), lineText(line.value(), "split"),
                                       numberOf(line.value(), "loss"), numberOf(line.value(), "accuracy")});
        }
        return {};
    }

  private:
    std::optional<Problem> takeStep(const Json& line, const std::string& where) {
        const StepMetrics step{integerOf(line, "step", 0), integerOf(line, "samples", 0), numberOf(line, "loss")};
        const std::int64_t last = m_record.steps.empty() ? 0 : m_record.steps.back().step;
        if (step.step <= last) {
            return Problem{where,
                           "has step " + std::to_string(step.step) + " after step " + std::to_string(last) +
                               "; steps count from 1 upwards",
                           "name a directory with one run"};
        }
        m_record.steps.push_back(step);
        return {};
    }

    RunRecord& m_record;
    std::string m_file;
};

// The telemetry of a long run is large and only two kinds of line count; what cannot be read is left out.
void readTelemetry(RunRecord& record, const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file, kMaxBytes);
    if (!text) return;
    forEachLine(text.value(), [&](std::string_view line, std::int64_t) -> std::optional<Problem> {
        const bool counts =
            line.find("\"consumed\"") != std::string_view::npos || line.find("\"replica\"") != std::string_view::npos;
        if (!counts) return {};
        const Result<Json> json = parseJson(line, "telemetry");
        if (!json || !json.value().is_object()) return {};
        const std::string kind = lineText(json.value(), "kind");
        const std::int64_t rank = integerOf(json.value(), "rank", 0);
        if (kind == "consumed") {
            record.shards[{integerOf(json.value(), "epoch", 0), rank}] = lineText(json.value(), "sha256");
        }
        if (kind == "replica" && rank == 0) {
            record.weights[integerOf(json.value(), "step", 0)] = lineText(json.value(), "hash");
        }
        return {};
    });
}

}  // namespace

Result<RunRecord> readRunRecord(const std::filesystem::path& directory) {
    const RunPaths paths(directory);
    const Result<std::string> metrics = readFile(paths.metrics(), kMaxBytes);
    if (!metrics) return metrics.problem();
    RunRecord record;
    MetricsReader reader(record, paths.metrics().string());
    const auto problem =
        forEachLine(metrics.value(), [&](auto line, auto number) { return reader.take(line, number); });
    if (problem) return *problem;
    if (record.steps.empty()) {
        return Problem{paths.metrics().string(), "holds no step", "name a run that has trained at least one"};
    }
    readTelemetry(record, paths.telemetry());
    if (Result<Json> config = readJsonFile(paths.config()); config) record.config = std::move(config).value();
    return record;
}

}  // namespace ringside
