// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "launch/channels/control_kind.h"
#include "telemetry/events/event_choices.h"
#include "telemetry/steps/step_trace.h"

namespace ringside {

// Events of a run. Each event is encoded as one line of JSON whose first key is "kind"; the quoted word at the start of
// a type's comment is that kind. Most events are sent by a rank to the supervisor, which appends them to
// telemetry.jsonl in the run directory; viewers read the same lines. Encoding and decoding: codec.h.
//
// Times are microseconds since the run started, on one clock (CLOCK_MONOTONIC). Steps count from 1, epochs and ranks
// from 0. Losses and accuracies may be NaN (null in JSON). A comment after a member states its unit or its meaning.

// "run": properties of the run; the first line of every stream.
struct RunStarted {
    int version = 1;
    std::string name;
    std::string runDirectory;
    int worldSize = 0;
    std::string backend;     // backend of the collectives: "shm", "gloo", "nccl", "local"
    std::string whyBackend;  // reason for the backend, such as "no GPU found on this machine; all ranks are on one
                             // host"
    std::string device;      // device that computes: "cpu" or "cuda"
    std::string whyDevice;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t epochs = 0;
    std::int64_t batchSize = 0;      // number of samples in a batch of one rank
    std::int64_t startedUnixMs = 0;  // start of the run by the wall clock, in milliseconds since 1970
    std::string config;              // complete configuration of the experiment, as JSON text
    std::string wantedBackend = {};  // parallel.backend of the experiment, for example "auto"; empty: not known
    std::string wantedDevice = {};
    std::int64_t stepsBefore = 0;  // number of steps done before this run, if it resumes another run; otherwise 0
};

// Event "rank": lifecycle state of a rank.
struct RankState {
    int rank = 0;
    RankStage state = RankStage::kStarting;
    std::string device;    // name of the device, such as "CPU 0" or "NVIDIA H200"; empty: unchanged
    std::int64_t pid = 0;  // process id of the rank; 0: unchanged
    std::int64_t timeUs = 0;
    // Rank that did not enter a collective and thereby made this rank fail; -1: the reason is different.
    int missingRank = -1;
    // Name of the rank's host; in a classroom, the name of the person who runs the rank. Empty: unchanged; if no event
    // of the rank has contained a name, the rank is on the supervisor's host.
    std::string host = {};
    std::string isa = {};  // name of the CPU instruction set or GPU that the rank computes with; empty: unchanged
    // Transport of the rank's collectives: shm, gloo, hierarchical, mpi, nccl or local; empty: unchanged.
    std::string transport = {};
    // number of the host of each rank, such as "0 0 1 1"; empty unless all-reduces first add the values within each
    // host and then the sums of the hosts
    std::string hosts = {};
};

// "steps": results of consecutive logged steps of one rank, as columns of equal length. In a thinned line, each entry
// combines the logged steps from `from` to `step`: `loss` is the mean over all samples; `correct`, `samples` and
// `dataUs` are sums; `endUs` and the epoch are those of the last step; minima and maxima are taken over the single
// steps.
struct StepsFrame {
    int rank = 0;
    std::int64_t epoch = 0;
    std::vector<std::int64_t> step;  // numbers of the optimizer steps, counted from 1, in ascending order
    std::vector<double> loss;        // loss of each step, as the mean over this rank's samples
    // Number of correct predictions of each step. In a language model, each sequence adds the share of its tokens that
    // are predicted correctly. Empty for regression.
    std::vector<double> correct;
    std::vector<std::int64_t> samples;  // number of samples that this rank trained in each step
    std::vector<std::int64_t> endUs;    // time at which each step ended, in microseconds since the start of the run
    // Norm of the averaged gradient, which is the same on all ranks. Empty if the norm was not measured in these steps.
    std::vector<double> gradientNorm;
    double learningRate = 0;
    // Time spent waiting for batches since the previous logged step, in microseconds. Empty if this time was not
    // measured.
    std::vector<std::int64_t> dataUs;
    // First step of each entry of a thinned line. This column and the following columns are empty if each entry is a
    // single step.
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> count;  // number of logged steps in each entry
    std::vector<double> lossMinimum, lossMaximum;
    // lowest and highest accuracy in each entry; empty if `correct` is empty
    std::vector<double> accuracyMinimum, accuracyMaximum;
    // lowest and highest gradient norm in each entry; empty if `gradientNorm` is empty
    std::vector<double> normMinimum, normMaximum;

    // Time that each traced step of this event spent in each phase, in nanoseconds. The column of a phase is empty if
    // no traced step spent time in the phase.
    std::vector<std::int64_t> traced;  // step numbers of the traced steps
    std::array<std::vector<std::int64_t>, kPhaseCount> phaseNs = {};

    bool isThinned() const { return !from.empty(); }
};

// State of a rank's GPU. A value is -1 if the device does not report it.
struct GpuReading {
    double utilisationPercent = -1;
    std::int64_t usedBytes = -1;
    std::int64_t totalBytes = -1;
    double celsius = -1;
    double watts = -1;

    bool isKnown() const { return utilisationPercent >= 0 || usedBytes >= 0 || celsius >= 0 || watts >= 0; }
    bool operator==(const GpuReading&) const = default;
};

// "heartbeat": current position of a rank. Sent once a second, and also as soon as the rank has made no progress for a
// second.
struct Heartbeat {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    Phase phase = Phase::kIdle;
    // number of the collective in which the rank is; between collectives, number of the last finished one
    std::int64_t collective = 0;
    std::int64_t residentBytes = 0;
    // Number of steps whose telemetry this rank has dropped since its start, because the buffer of unsent steps was
    // full.
    std::int64_t droppedSteps = 0;
    std::int64_t timeUs = 0;
    // number of batches that the rank has loaded since its start, for training and validation
    std::int64_t batches = 0;
    GpuReading gpu = {};         // state of the rank's GPU; all ranks that share a GPU report the same values
    std::int64_t stalledUs = 0;  // time for which step, batches, collective and phase have not changed, in microseconds
    // Number of other events that this rank has dropped since its start, because the queue of unsent events was full.
    std::int64_t droppedEvents = 0;
};

// "epoch": results of an epoch over all ranks, sent by rank 0. The exact values count each sample once. The padded
// values count samples that the sampler duplicated as often as they occur, as PyTorch programs usually do.
struct EpochResult {
    std::int64_t epoch = 0;
    SplitKind split = SplitKind::kTrain;
    double loss = 0;
    double accuracy = 0;  // share of correct predictions, 0 to 1; NaN for regression
    std::int64_t samples = 0;
    double lossPadded = 0;
    double accuracyPadded = 0;
    std::int64_t samplesPadded = 0;
    std::int64_t step = 0;  // number of optimizer steps done before the result was computed
    std::int64_t timeUs = 0;
    std::int64_t nonFiniteBatches = 0;  // number of batches on all ranks whose loss was infinite or NaN
};

// "consumed": SHA-256 hash over the sample indices that a rank trained in one epoch, as little-endian int64 values.
struct Consumed {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t count = 0;
    std::string sha256;
};

// "indices": dataset indices of the samples that a rank trained in one step, in order of training. Sent only if steps
// are slow enough (see IndexReport). The indices of a large batch are split over several events.
struct ConsumedIndices {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the optimizer step, counted from 1 over all epochs
    // position of the first index in the list of samples that the rank trains in this epoch, from 0
    std::int64_t slot = 0;
    std::vector<std::int64_t> index;
    std::int64_t loader = 0;  // in a watched script: number of the DataLoader, as in its "loader" facts
};

// "replica": checksum of a rank's parameters after an epoch. Ranks with the same checksum have the same weights.
struct Replica {
    int rank = 0;
    std::int64_t step = 0;
    std::string hash;
    std::vector<std::string> names = {};  // names of the rank's tensors, if a checksum is reported for each tensor
    std::vector<std::int64_t> checksums = {};
};

// "memory": number of bytes that Ringside allocated on a rank, by purpose. Sent once, before the first step.
struct RankMemory {
    int rank = 0;
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;
    std::int64_t activations = 0;
    std::int64_t gathered = 0;  // buffers for complete parameters and gradients of sharded parameters, in bytes
    std::int64_t buffers = 0;
    // Largest total memory of this rank at any time, in bytes. Also contains memory that no other member counts.
    std::int64_t peak = 0;
    // Prediction of `peak`, computed from the model and the strategy; -1: not known.
    std::int64_t predictedPeak = -1;
};

// "traffic": number of bytes that a rank sent in one step with a full batch. Sent for the first two such steps.
struct RankTraffic {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t bytes = 0;
};

// "clock": offset between the clock of a host and the clock of the supervisor's host. The supervisor writes it
// repeatedly, and uses it to correct the times that the host's ranks report. Clocks are CLOCK_MONOTONIC; all times are
// in microseconds.
struct HostClock {
    int rank = 0;                  // lowest rank on the host
    std::int64_t offsetUs = 0;     // time on the host's clock minus time on the supervisor's clock
    std::int64_t movedUs = 0;      // change of the offset since the first report
    std::int64_t errorUs = 0;      // maximum error of the offset
    std::int64_t roundTripUs = 0;  // shortest round trip between the host and the supervisor in the last minutes
    double driftPpm = 0;  // drift of the host's clock: microseconds that it gains per second on the supervisor's clock
    std::int64_t timeUs = 0;
};

// "links": traffic on a rank's connections to ranks on other hosts since the rank's previous "links" event. Columns of
// equal length, with one entry per connection.
struct RankLinks {
    int rank = 0;
    std::vector<std::int64_t> peer = {};         // rank at the other end of each connection
    std::vector<std::int64_t> roundTripUs = {};  // shortest round trip of each connection in the last minutes
    std::vector<std::int64_t> bytes = {};        // number of bytes sent over each connection
    std::vector<std::int64_t> busyUs = {};       // time in which bytes were in flight on each connection
    // Time in which the rank had received the beginning of a message and waited for the rest, for each connection.
    // Empty in events of older versions.
    std::vector<std::int64_t> waitUs = {};
    std::int64_t lengthUs = 0;  // length of the interval since the previous event, in microseconds
    std::int64_t timeUs = 0;

    bool hasEqualColumnLengths() const {
        return roundTripUs.size() == peer.size() && bytes.size() == peer.size() && busyUs.size() == peer.size() &&
               (waitUs.empty() || waitUs.size() == peer.size());
    }
};

// "log": one line of the log. Rank -1 means the supervisor.
struct LogLine {
    int rank = -1;
    LogLevel level = LogLevel::kInfo;
    std::string text;
    std::int64_t timeUs = 0;
};

// "checkpoint": rank 0 has written a checkpoint.
struct CheckpointSaved {
    std::int64_t step = 0;
    std::string path;  // path of the checkpoint, relative to the run directory
    std::int64_t timeUs = 0;
};

// "control": control command that the run has begun to execute, sent by rank 0. After "pause", all ranks are paused at
// the end of phase `after` until "resume", "step", "phase" or "stop".
struct Controlled {
    ControlKind command = ControlKind::kStop;
    double value = 0;
    std::int64_t step = 0;  // number of optimizer steps done when the command was executed
    std::int64_t epoch = 0;
    std::optional<Phase> after = {};  // phase at whose end the ranks are paused; only for "pause"
    std::int64_t timeUs = 0;
};

// "local": validation result of one rank over its own samples, not summed over the ranks. Sent only if
// pitfalls.local_metrics is on.
struct LocalResult {
    int rank = 0;
    std::int64_t epoch = 0;
    double loss = 0;
    double accuracy = 0;  // share of correct predictions, 0 to 1; NaN for regression
    std::int64_t samples = 0;
    std::int64_t step = 0;
};

// "phase": a rank has entered this phase of a step. Sent only in slow motion and when the run advances phase by phase.
struct PhaseReached {
    int rank = 0;
    std::int64_t step = 0;  // number of the current step
    Phase phase = Phase::kIdle;
    std::int64_t timeUs = 0;
    int layer = -1;  // index of the layer that the rank computes; -1: not reported
    // action of the pipeline schedule, for example "0F3" (stage 0, forward, micro-batch 3); empty if there is none
    std::string action = {};
};

// "pace": whether a rank is as fast as the device that parallel.pace describes: false if more than an eighth of the
// rank's latest passes and updates took over 2 % longer than on that device. Sent at each change; initially true.
struct ThrottleKept {
    int rank = 0;
    std::int64_t step = 0;
    std::optional<bool> kept = true;
    double times = 1;  // largest ratio of the duration of a pass or update to the duration that parallel.pace sets
};

// "gradients": gradient or weight change of one rank in one step. Sent on request, or while the run advances phase by
// phase. Each tensor is shown as a grid of cells. In a large tensor, a cell covers several elements and has the value
// of the element with the largest magnitude.
struct GradientView {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the step, counted from 1
    GradientMoment moment = GradientMoment::kOwn;
    double norm = 0;  // norm of the vector that `moment` selects
    // For kMean only: cosine similarity of this rank's local gradient and the averaged gradient; NaN: not
    // known.
    double cosine = 0;
    std::vector<std::string> names = {};  // names of the parameters
    std::vector<std::int64_t> rows = {};  // number of rows in the grid of each tensor
    std::vector<std::int64_t> columns = {};
    // cells of all tensors, tensor by tensor and row by row; empty if only norms are reported
    std::vector<double> cells = {};
    std::vector<double> tensorNorms = {};
    // A ring all-reduce divides the bucket into one part per rank. This list has the first values of each part, the
    // same number for each part.
    std::vector<double> ring = {};
    // For kChange only: checksum of the values of each tensor after the update.
    std::vector<std::int64_t> checksums = {};
    std::int64_t timeUs = 0;
};

// "logged": scalar that a watched script has logged, for example with SummaryWriter.add_scalar.
struct LoggedScalar {
    int rank = 0;
    std::string tag;        // name under which the script logs the scalar
    std::int64_t step = 0;  // step number that the script passes; if it passes none, the number of optimizer steps done
    double value = 0;
    // library that logged the scalar, "tensorboard" or "lightning", or "loss" for the training loss; empty: not known
    std::string source = {};
    std::int64_t timeUs = 0;
};

// Severity of a finding. A mistake changes the result of the training or of its evaluation. A cost wastes time or
// memory. A note is a fact that the user should know.
enum class Severity : std::uint8_t { kMistake, kCost, kNote };

// Returns the severity's name in telemetry and in summary.json: "mistake", "cost" or "note".
std::string_view severityName(Severity severity);
std::optional<Severity> severityNamed(std::string_view name);

// "finding": conclusion about a watched script, drawn from the recorded evidence. Reported while the script runs and at
// its end. A later finding with the same code replaces the earlier one.
struct Finding {
    std::string code;  // identifier of the check, for example "set-epoch-missing"
    Severity severity = Severity::kNote;
    std::string text;           // finding in one sentence, with the numbers of this run
    std::string where = {};     // line of the script, such as "train.py:48"; empty if there is none
    std::string evidence = {};  // evidence for the finding, as the text of a JSON object; empty if there is none
    std::string remedy = {};
    std::int64_t timeUs = 0;
    std::optional<bool> withdrawn = {};  // true: withdrawn, because later evidence contradicts the finding
};

// "script": facts about a watched script, reported by one rank. docs/watch-protocol.md describes the topics.
struct ScriptFacts {
    int rank = 0;
    std::string about;  // topic of the facts: "process", "loader", "pass", "optimizer", ...
    std::string facts;  // facts, as the text of a JSON object
    std::int64_t timeUs = 0;
};

// "end": result of the run; the last line of every stream. summary.json has the same content.
struct RunEnded {
    RunOutcome state = RunOutcome::kFailed;
    int exitCode = 0;
    int firstFailedRank = -1;
    std::string verdict;                 // one sentence that explains why the run ended
    std::vector<std::string> lastLines;  // last lines that the first failed rank printed
    std::int64_t steps = 0;
    double trainSeconds = 0;
    double stepsPerSecond = 0;
    double samplesPerSecond = 0;
    std::int64_t timeUs = 0;
    // True if the ranks trained exactly the samples that the sampler assigned. Empty if no epoch has been compared yet.
    std::optional<bool> planVerified = {};
    std::int64_t auditedEpochs = 0;
    // One sentence about the cause that determines the duration of the last traced steps, with advice. Empty if no step
    // was traced.
    std::string timeVerdict = {};
    // First trained sample that is not the sample that the sampler assigned, such as "rank 2, epoch 3, step 5, slot 17:
    // planned 4242, trained 17"; empty if there is none.
    std::string planMismatch = {};
    // True if rank first_failed_rank sent bytes that a correct rank never sends. Not written to the stream; used only
    // by the host of a classroom.
    bool isMisuse = false;
};

using Event =
    std::variant<RunStarted, RankState, StepsFrame, Heartbeat, EpochResult, Consumed, Replica, LogLine, CheckpointSaved,
                 RunEnded, ConsumedIndices, Controlled, StepTrace, RankMemory, ThrottleKept, GradientView, LocalResult,
                 PhaseReached, RankTraffic, HostClock, RankLinks, LoggedScalar, Finding, ScriptFacts>;

}  // namespace ringside
