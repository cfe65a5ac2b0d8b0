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

// A step of metrics.jsonl, or a window of several steps in one line. Losses that are not finite are NaN.
struct MetricsEntry {
    std::int64_t step = 0;  // number of the last step of the entry
    std::int64_t samples = 0;
    double loss = 0;         // loss, as the mean over the samples
    std::int64_t from = 0;   // number of the first step of the entry
    std::int64_t steps = 1;  // number of logged steps in the entry; above 1 if it is a window of steps
    double lossMinimum = 0;
    double lossMaximum = 0;
    bool isThinned() const { return from != step; }
};

struct EpochMetrics {
    std::int64_t epoch = 0;
    bool validation = false;
    double loss = 0;
    double accuracy = 0;  // accuracy, 0 to 1; NaN for regression
};

// Reader of metrics.jsonl in bounded memory, from its beginning. Results of epochs are collected; an incomplete last
// line is ignored. Used by one thread.
class MetricsReader {
  public:
    static Result<MetricsReader> open(const std::filesystem::path& file);

    // Returns the next step; empty at the end of the file. Returns a problem if a line is invalid or longer than 1 MiB,
    // or if the steps are not in ascending order.
    Result<std::optional<MetricsEntry>> next();
    // Returns the results of all epochs that have been read until now.
    const std::vector<EpochMetrics>& epochs() const { return m_epochs; }

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
