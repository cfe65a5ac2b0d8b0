// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "telemetry/steps/step_trace.h"

namespace ringside {

// One line of JSON each, "kind" first; the same lines flow from the ranks, through the run directory's
// telemetry.jsonl, to every viewer. Times are microseconds since the run started, on one clock (CLOCK_MONOTONIC).
// Steps count from 1, epochs and ranks from 0. Losses and accuracies may be NaN (null in JSON).

// "run": first line of every stream.
struct RunStarted {
    int version = 1;
    std::string name;
    std::string runDirectory;
    int worldSize = 0;
    std::string backend;     // shm | gloo | nccl | local
    std::string whyBackend;  // "no GPU found on this machine; all ranks are on one host"
    std::string device;      // cpu | cuda
    std::string whyDevice;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t epochs = 0;
    std::int64_t batchSize = 0;      // per rank
    std::int64_t startedUnixMs = 0;  // wall clock
    std::string config;              // the whole experiment, as JSON text
    std::string wantedBackend = {};  // as in the experiment, where it may be auto; empty = not known
    std::string wantedDevice = {};
    std::int64_t stepsBefore = 0;  // done by the run that this one goes on from
};

// What a rank that ended is in from when its run goes on until it says something itself.
inline constexpr const char* kStartingAgain = "starting again";

// "rank": a rank's life: starting, connecting, loading, training, validating, saving, finished, stopped, failed.
struct RankState {
    int rank = 0;
    std::string state;
    std::string device;    // "CPU 0" | "NVIDIA H200"; empty = unchanged
    std::int64_t pid = 0;  // 0 = unchanged
    std::int64_t timeUs = 0;
    int missingRank = -1;        // failed because this rank did not take part in a collective; -1: for another reason
    std::string host = {};       // where it runs, or who runs it there; empty = unchanged, or on the host of the run
    std::string isa = {};        // instruction set that it computes with, or its GPU; empty = unchanged
    std::string transport = {};  // of its collectives: shm, gloo, hierarchical, mpi, nccl, local; empty = unchanged
    std::string hosts = {};      // "0 0 1 1": host of each rank, where sums are formed within hosts first; or empty
};

// "steps": consecutive logged steps of one rank, as columns of equal length. In a thinned line each entry stands for
// all steps from `from` to `step`: loss is the mean over their samples, correct, samples and dataUs are sums, endUs and
// epoch belong to the last, and the ranges are those of the single steps.
struct StepsFrame {
    int rank = 0;
    std::int64_t epoch = 0;
    std::vector<std::int64_t> step;     // optimizer steps, from 1, increasing
    std::vector<double> loss;           // mean over this rank's batch
    std::vector<double> correct;        // of `samples`, a part of 1 for each sequence; empty for regression
    std::vector<std::int64_t> samples;  // in this rank's batch
    std::vector<std::int64_t> endUs;    // end of the step
    std::vector<double> gradientNorm;   // of the averaged gradient; empty where not measured (same on all ranks)
    double learningRate = 0;
    std::vector<std::int64_t> dataUs;  // waited for batches since the logged step before; empty where not measured
    std::vector<std::int64_t> from;    // this and what follows is empty where each entry is one step
    std::vector<std::int64_t> count;   // of logged steps in the entry
    std::vector<double> lossMinimum, lossMaximum;
    std::vector<double> accuracyMinimum, accuracyMaximum;  // with `correct`
    std::vector<double> normMinimum, normMaximum;          // with `gradientNorm`

    // Of the traced steps among them alone: what they took by phase, in nanoseconds; empty where none took any.
    std::vector<std::int64_t> traced;  // their numbers
    std::array<std::vector<std::int64_t>, kPhaseCount> phaseNs = {};

    bool isThinned() const { return !from.empty(); }
};

// What a rank's GPU says of itself; -1 where it says nothing.
struct GpuReading {
    double utilisationPercent = -1;
    std::int64_t usedBytes = -1;
    std::int64_t totalBytes = -1;
    double celsius = -1;
    double watts = -1;

    bool known() const { return utilisationPercent >= 0 || usedBytes >= 0 || celsius >= 0 || watts >= 0; }
    bool operator==(const GpuReading&) const = default;
};

// "heartbeat": once a second from a thread of its own.
struct Heartbeat {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    Phase phase = Phase::kIdle;
    std::int64_t collective = 0;  // number of the collective it is in or has finished
    std::int64_t residentBytes = 0;
    std::int64_t droppedSteps = 0;  // telemetry points this rank had to drop so far
    std::int64_t timeUs = 0;
    std::int64_t batches = 0;  // fetched so far, for training and validation
    GpuReading gpu = {};       // of a rank on a GPU; ranks that share one say the same
    std::int64_t stillUs = 0;  // that step, batches, collective and phase have been the same
};

// "epoch": from rank 0 after the all-reduce. Exact counts each sample once; padded counts duplicates as PyTorch would.
struct EpochResult {
    std::int64_t epoch = 0;
    std::string split;  // train | val
    double loss = 0;
    double accuracy = 0;  // 0..1, NaN for regression
    std::int64_t samples = 0;
    double lossPadded = 0;
    double accuracyPadded = 0;
    std::int64_t samplesPadded = 0;
    std::int64_t step = 0;  // steps done so far
    std::int64_t timeUs = 0;
    std::int64_t nonFiniteBatches = 0;  // batches of all ranks whose loss was infinite or no number
};

// "consumed": SHA-256 over the indices a rank really trained on in one epoch (little-endian int64).
struct Consumed {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t count = 0;
    std::string sha256;
};

// "indices": the samples a rank really trained on in one step, in order. Sent only while a run is slow enough for it
// (IndexReport); a large batch comes in several.
struct ConsumedIndices {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // optimizer step, from 1 over all epochs
    std::int64_t slot = 0;  // of the first index, in the rank's list of this epoch
    std::vector<std::int64_t> index;
    std::int64_t loader = 0;  // of a watched script: number of the DataLoader, as in its "loader" facts
};

// "replica": checksum of a rank's parameters after an epoch; equal on all ranks = in sync.
struct Replica {
    int rank = 0;
    std::int64_t step = 0;
    std::string hash;
    std::vector<std::string> names = {};  // of its tensors, where each has a checksum of its own
    std::vector<std::int64_t> checksums = {};
};

// "memory": what a rank's engine has taken, in bytes, by what it is for; once, before the first step.
struct RankMemory {
    int rank = 0;
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;
    std::int64_t activations = 0;
    std::int64_t gathered = 0;  // whole parameters and gradients of sharded units
    std::int64_t buffers = 0;
    std::int64_t peak = 0;            // of all, with what is for none of these
    std::int64_t predictedPeak = -1;  // from the model and the strategy; -1: not known
};

// "traffic": what a rank sent in a step of a whole batch, as its communicators count it; once.
struct RankTraffic {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t bytes = 0;
};

// "clock": how the clock of a host stands to that of the run's, by which the times of its ranks are set right; from
// whoever hosts the run, now and then. Microseconds of CLOCK_MONOTONIC.
struct HostClock {
    int rank = 0;                  // the first on that host
    std::int64_t offsetUs = 0;     // its clock less the run's
    std::int64_t movedUs = 0;      // of that since it was first told
    std::int64_t errorUs = 0;      // at most
    std::int64_t roundTripUs = 0;  // of the control connection, the shortest of the last minutes
    double driftPpm = 0;           // the host's clock gains so many microseconds a second
    std::int64_t timeUs = 0;
};

// "links": how a rank's connections to ranks on other hosts went since it last told; parallel columns.
struct RankLinks {
    int rank = 0;
    std::vector<std::int64_t> peer = {};         // ranks
    std::vector<std::int64_t> roundTripUs = {};  // the shortest of the last minutes
    std::vector<std::int64_t> bytes = {};        // sent
    std::vector<std::int64_t> busyUs = {};       // while bytes were on their way
    std::int64_t lengthUs = 0;                   // of the time that this is about
    std::int64_t timeUs = 0;

    bool isEven() const {
        return roundTripUs.size() == peer.size() && bytes.size() == peer.size() && busyUs.size() == peer.size();
    }
};

// "log": a line for people. rank -1 = the supervisor.
struct LogLine {
    int rank = -1;
    std::string level;  // info | warning | error
    std::string text;
    std::int64_t timeUs = 0;
};

// "checkpoint": written by rank 0.
struct CheckpointSaved {
    std::int64_t step = 0;
    std::string path;  // relative to the run directory
    std::int64_t timeUs = 0;
};

// "control": from rank 0, what the run was told and has begun to do. "pause" says that all ranks hold, and after which
// phase of the step; they go on with "resume", "step", "phase" or "stop".
struct Controlled {
    std::string command;  // as ControlCommand's names
    double value = 0;
    std::int64_t step = 0;  // done so far
    std::int64_t epoch = 0;
    std::string after = {};  // of a pause
    std::int64_t timeUs = 0;
};

// "local": a validation that a rank took for itself alone, as pitfalls.local_metrics wants it.
struct LocalResult {
    int rank = 0;
    std::int64_t epoch = 0;
    double loss = 0;
    double accuracy = 0;  // 0..1, NaN for regression
    std::int64_t samples = 0;
    std::int64_t step = 0;
};

// "phase": a rank is in this phase of a step, and where in it; told in slow motion and in single phases alone.
struct PhaseReached {
    int rank = 0;
    std::int64_t step = 0;  // under way
    Phase phase = Phase::kIdle;
    std::int64_t timeUs = 0;
    int layer = -1;           // of the model, that it works on; -1: not told
    std::string action = {};  // of a pipeline's schedule, "0F3"; empty: none
};

// "pace": whether a rank keeps the pace of parallel.pace; told when that changes, from kept on.
struct PaceKept {
    int rank = 0;
    std::int64_t step = 0;
    std::optional<bool> kept = true;
    double times = 1;  // the longest pass, by what was asked for
};

// "gradients": a step of one rank looked at from near, on request or where single phases stop. Large tensors are shown
// as fewer cells, each by the value in it that is furthest from zero.
struct GradientView {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // that it belongs to
    std::string moment;     // own: before the all-reduce; mean: after it; change: of the weights by the update
    double norm = 0;        // of what is looked at
    double cosine = 0;      // mean: of the rank's own gradient to it; NaN elsewhere
    std::vector<std::string> names = {};  // of the tensors
    std::vector<std::int64_t> rows = {};  // of each tensor's cells
    std::vector<std::int64_t> columns = {};
    std::vector<double> cells = {};  // tensor by tensor, row by row; empty where only the norms are told
    std::vector<double> tensorNorms = {};
    std::vector<double> ring = {};             // the first values of each of the bucket's N parts, as many of each
    std::vector<std::int64_t> checksums = {};  // change: of each tensor's values after the update
    std::int64_t timeUs = 0;
};

// "logged": a scalar that a watched script logs by itself, for example with SummaryWriter.add_scalar.
struct LoggedScalar {
    int rank = 0;
    std::string tag;        // the script's name for the scalar
    std::int64_t step = 0;  // the script's own step; the number of optimizer steps where the script passes none
    double value = 0;
    std::string source = {};  // "tensorboard" | "lightning" | "loss"; empty = not known
    std::int64_t timeUs = 0;
};

// Severity of a finding. A mistake changes the result of the training or of its measurement, a cost wastes time or
// memory, a note is a fact that the user should know.
enum class Severity : std::uint8_t { kMistake, kCost, kNote };

// "mistake", "cost", "note": as in telemetry and in summary.json.
std::string_view severityName(Severity severity);
std::optional<Severity> severityNamed(std::string_view name);

// "finding": a conclusion from the recorded evidence of a watched run.
struct Finding {
    std::string code;  // identifies the check, for example "set-epoch-missing"
    Severity severity = Severity::kNote;
    std::string text;           // one sentence with the user's own numbers
    std::string where = {};     // "train.py:48"; empty = no line of the script
    std::string evidence = {};  // a JSON object, as text; empty = none
    std::string remedy = {};
    std::int64_t timeUs = 0;
};

// "script": facts about a watched script, as one rank reports them. docs/watch-protocol.md lists the topics.
struct ScriptFacts {
    int rank = 0;
    std::string about;  // topic: "process", "loader", "pass", "optimizer", ...
    std::string facts;  // a JSON object, as text
    std::int64_t timeUs = 0;
};

// "end": last line of every stream; the content of summary.json.
struct RunEnded {
    std::string state;  // finished | stopped | failed
    int exitCode = 0;
    int firstFailedRank = -1;
    std::string verdict;                 // one sentence for people
    std::vector<std::string> lastLines;  // of the first failed rank
    std::int64_t steps = 0;
    double trainSeconds = 0;
    double stepsPerSecond = 0;
    double samplesPerSecond = 0;
    std::int64_t timeUs = 0;
    // Whether the ranks trained what was planned, as far as compared; nothing while no epoch was.
    std::optional<bool> planVerified = {};
    std::int64_t auditedEpochs = 0;
    std::string timeVerdict = {};   // where the time of the last traced steps went, and what to do; empty: none traced
    std::string planMismatch = {};  // the first: "rank 2, epoch 3, step 5, slot 17: planned 4242, trained 17"
    bool isMisuse = false;          // first_failed_rank sent what no rank sends; not written, for the host of a class
};

using Event =
    std::variant<RunStarted, RankState, StepsFrame, Heartbeat, EpochResult, Consumed, Replica, LogLine, CheckpointSaved,
                 RunEnded, ConsumedIndices, Controlled, StepTrace, RankMemory, PaceKept, GradientView, LocalResult,
                 PhaseReached, RankTraffic, HostClock, RankLinks, LoggedScalar, Finding, ScriptFacts>;

}  // namespace ringside
