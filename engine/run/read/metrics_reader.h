// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "base/system/unique_fd.h"

namespace ringside {

// A step of metrics.jsonl, or several that one line stands for. Losses that are no finite numbers are NaN.
struct StepMetrics {
    std::int64_t step = 0;  // the last
    std::int64_t samples = 0;
    double loss = 0;
    std::int64_t from = 0;   // the first
    std::int64_t steps = 1;  // logged ones
    double lossMinimum = 0;
    double lossMaximum = 0;
    bool isThinned() const { return from != step; }
};

struct EpochMetrics {
    std::int64_t epoch = 0;
    bool validation = false;
    double loss = 0;
    double accuracy = 0;  // NaN for regression
};

// Reads metrics.jsonl from its beginning, however long it is, a piece at a time. Lines of epochs are kept; a torn last
// line is left out.
class MetricsReader {
  public:
    static Result<MetricsReader> open(const std::filesystem::path& file);

    // The next step; nothing at the end of the file.
    Result<std::optional<StepMetrics>> next();
    const std::vector<EpochMetrics>& epochs() const { return m_epochs; }  // read so far

  private:
    MetricsReader(UniqueFd file, std::string name) : m_file(std::move(file)), m_name(std::move(name)) {}
    std::optional<std::string_view> nextLine();
    bool readMore();

    UniqueFd m_file;
    std::string m_name;
    std::string m_buffer;
    std::size_t m_at = 0;
    std::int64_t m_line = 0;
    std::int64_t m_lastStep = 0;
    bool m_tooLong = false;
    std::vector<EpochMetrics> m_epochs;
};

}  // namespace ringside
