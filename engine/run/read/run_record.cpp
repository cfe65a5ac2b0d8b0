// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_record.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/crypto/sha256.h"
#include "base/system/files.h"
#include "base/text/line_splitter.h"
#include "run/read/metrics_reader.h"
#include "run/read/recorded_config.h"
#include "run/read/run_directory.h"
#include "run/read/run_summary.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kTelemetryPiece = 1U << 18;
constexpr std::array<std::string_view, 3> kCountedWords{"\"consumed\"", "\"replica\"", "\"control\""};
constexpr std::string_view kScriptLine = R"({"kind":"script")";  // start of the lines that only watched runs have

int nibble(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

// Returns the 32 bytes of a SHA-256 that is given in hex. For any other text, returns the SHA-256 of the text.
Digest digestOf(const std::string& hash) {
    Digest digest{};
    const bool plain =
        hash.size() == 2 * digest.size() && std::ranges::all_of(hash, [](char digit) { return nibble(digit) >= 0; });
    if (!plain) {
        Sha256 sum;
        sum.add(std::as_bytes(std::span(hash)));
        return digestOf(sum.hex());
    }
    for (std::size_t i = 0; i < digest.size(); ++i) {
        digest[i] = static_cast<char>(nibble(hash[2 * i]) * 16 + nibble(hash[2 * i + 1]));
    }
    return digest;
}

// Adds a restart or a change to the record. Ignores a change to the value in use, which a restart repeats.
void applyCommand(RunRecord& record, const Controlled& control) {
    if (control.command == ControlKind::kRestart && !record.lastOwnStep) record.lastOwnStep = control.step;
    if (control.command != ControlKind::kLearningRate && control.command != ControlKind::kEpochs) return;
    const auto last = std::find_if(record.changes.rbegin(), record.changes.rend(),
                                   [&](const ControlChange& one) { return one.kind == control.command; });
    if (last != record.changes.rend() && last->value == control.value) return;
    record.changes.push_back({control.command, control.value, control.step, control.epoch});
}

// Adds to the record the shard hash, the weights hash, the restart or the change that a telemetry line contains. Skips
// other lines without decoding them, because telemetry can be large. Skips invalid lines.
void applyLine(RunRecord& record, std::string_view line) {
    if (line.starts_with(kScriptLine)) record.isWatched = true;
    const bool counts = std::ranges::any_of(
        kCountedWords, [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
    if (!counts) return;
    const Result<Event> event = decodeLine(line);
    if (!event) return;
    if (const auto* shard = std::get_if<Consumed>(&event.value())) {
        record.shards.push_back({{shard->epoch, shard->rank}, digestOf(shard->sha256)});
    }
    if (const auto* replica = std::get_if<Replica>(&event.value()); replica != nullptr && replica->rank == 0) {
        record.weights.push_back({replica->step, digestOf(replica->hash)});
    }
    if (const auto* control = std::get_if<Controlled>(&event.value())) applyCommand(record, *control);
}

void readTelemetry(RunRecord& record, const std::filesystem::path& file) {
    const Result<UniqueFd> opened = openFile(file);
    if (!opened) return;
    LineSplitter lines(Decoder::kMaxLine);
    std::string piece(kTelemetryPiece, '\0');
    for (;;) {
        const ssize_t got = ::read(opened.value().get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        lines.feed({piece.data(), static_cast<std::size_t>(got)},
                   [&](std::string_view line) { applyLine(record, line); });
    }
}

// Sorts hashes by key. If several hashes have the same key, keeps only the last.
template <class Key>
void sortByKey(std::vector<RunRecord::Hash<Key>>& hashes) {
    std::ranges::stable_sort(hashes, {}, &RunRecord::Hash<Key>::key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (i + 1 < hashes.size() && hashes[i + 1].key == hashes[i].key) continue;
        hashes[kept++] = hashes[i];
    }
    hashes.resize(kept);
}

}  // namespace

Result<RunRecord> readRunRecord(const std::filesystem::path& directory) {
    const RunPaths paths(directory);
    Result<MetricsReader> metrics = MetricsReader::open(paths.metrics());
    if (!metrics) return metrics.problem();
    const Result<std::optional<MetricsEntry>> first = metrics.value().next();
    if (!first) return first.problem();
    if (!first.value()) {
        return Problem{paths.metrics().string(), "contains no step", "use a run that has trained at least one step"};
    }
    RunRecord record;
    record.metrics = paths.metrics();
    record.firstStep = first.value()->from;
    readTelemetry(record, paths.telemetry());
    sortByKey(record.shards);
    sortByKey(record.weights);
    if (Result<Json> config = readRecordedJson(paths); config) record.config = std::move(config).value();
    if (const Result<RunSummary> summary = readRunSummary(paths.summary())) record.bits = summary.value().bitsDependOn;
    // A run by Ringside that restarts from a checkpoint repeats the steps after the checkpoint under the same numbers,
    // so that all steps can be compared.
    if (!record.isWatched) record.lastOwnStep.reset();
    return record;
}

}  // namespace ringside
