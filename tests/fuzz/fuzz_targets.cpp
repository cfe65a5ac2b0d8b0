// SPDX-License-Identifier: Apache-2.0
#include "fuzz_targets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json/json.h"
#include "base/text/terminal_text.h"
#include "config/run_config.h"
#include "data/readers/gzip.h"
#include "data/sets/common/standardize.h"
#include "data/sets/files/csv_dataset.h"
#include "run/checkpoint/safetensors.h"
#include "support/stored_tensors.h"

namespace ringside::fuzz {
namespace {

constexpr std::size_t kMaxProblemBytes = 4096;

void requireOneLine(const Problem& problem) {
    const std::string text = problem.text();
    RINGSIDE_ASSERT(!text.empty() && text.size() < kMaxProblemBytes);
    RINGSIDE_ASSERT(text.find('\n') == std::string::npos);
}

void requireOneLine(const Problems& problems) {
    for (const Problem& problem : problems) requireOneLine(problem);
}

}  // namespace

void config(std::string_view bytes) {
    const Result<Json> json = parseJson(bytes, "input");
    if (!json) return requireOneLine(json.problem());
    Problems problems;
    const Result<RunConfig> read = RunConfig::fromJson(json.value(), &problems);
    RINGSIDE_ASSERT(read.ok() == problems.empty());
    requireOneLine(problems);
    if (!read) return;
    requireOneLine(read.value().validateForTraining());
    const Json written = parseJson(read.value().toText(), "output").value();
    RINGSIDE_ASSERT(RunConfig::fromJson(written).value() == read.value());
}

// Checks that writing and reading a JSON value gives the same value, and that its text is not much longer than the
// input.
void json(std::string_view bytes) {
    const Result<Json> read = parseJson(bytes, "input", 1U << 16, 20, 1000);
    if (!read) return requireOneLine(read.problem());
    const std::string written = read.value().dump();
    RINGSIDE_ASSERT(parseJson(written, "output").value() == read.value());
    RINGSIDE_ASSERT(written.size() < 8 * bytes.size() + 64);
}

void terminal(std::string_view bytes) {
    const std::string shown = terminalText(bytes);
    RINGSIDE_ASSERT(std::ranges::none_of(shown, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }));
    RINGSIDE_ASSERT(terminalText(shown) == shown);
    RINGSIDE_ASSERT(Json(shown).dump().size() >= shown.size());  // dump() throws if the text is not valid UTF-8
    RINGSIDE_ASSERT(terminalJson(terminalJson(bytes)) == terminalJson(bytes));
}

namespace {

void csvWith(std::string_view bytes, const DatasetConfig& config) {
    Result<SampleTable> read = parseCsv(bytes, "input", config);
    if (!read) return requireOneLine(read.problem());
    SampleTable& table = read.value();
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(table.size));
    std::iota(rows.begin(), rows.end(), 0U);
    if (const auto filled = fillMissing(table, rows, "input"); !filled) return requireOneLine(filled.problem());
    const auto classes = static_cast<std::int32_t>(table.classNames.size());
    RINGSIDE_ASSERT(table.size >= 2 && table.shape.features >= 1);
    for (const float value : table.features) RINGSIDE_ASSERT(std::isfinite(value));
    for (const float value : table.targets) RINGSIDE_ASSERT(std::isfinite(value));
    for (const std::int32_t label : table.labels) RINGSIDE_ASSERT(label >= 0 && label < classes);
    const MemoryDataset checksItsSizes(table);
}

}  // namespace

void csv(std::string_view bytes) {
    for (const MissingCells missing : {MissingCells::kRefuse, MissingCells::kDrop, MissingCells::kMean})
        csvWith(bytes, {.missing = missing});
    csvWith(bytes, {.labelColumn = "0", .header = CsvHeader::kYes, .missing = MissingCells::kDrop});
}

void gzip(std::string_view bytes) {
    constexpr std::size_t kLimit = 1U << 16;
    const Result<std::string> content = gunzip(bytes, "input", kLimit);
    if (!content) return requireOneLine(content.problem());
    RINGSIDE_ASSERT(content.value().size() <= kLimit);
}

void safetensors(std::string_view bytes) {
    const Result<SafetensorsFile> file = SafetensorsFile::parse(std::string(bytes), "input");
    if (!file) return requireOneLine(file.problem());
    std::vector<StoredTensor> tensors;
    for (const auto& [name, entry] : file.value().entries()) {
        const auto values = file.value().bytes(entry);
        RINGSIDE_ASSERT(values.size() == entry.size);
        tensors.push_back({name, entry.type, entry.shape, std::string(values.size(), 'x')});
    }
    RINGSIDE_ASSERT(SafetensorsFile::parse(encodeSafetensors(tensors, {}), "output").ok());
}

}  // namespace ringside::fuzz
