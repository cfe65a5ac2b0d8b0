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
    std::string backend;     // backend of the collectives: shm | gloo | nccl | local
    std::string whyBackend;  // reason for the backend, such as "no GPU found on this machine; all ranks are on one
                             // host"
    std::string device;      // device of the arithmetic: cpu | cuda
    std::string whyDevice;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t epochs = 0;
    std::int64_t batchSize = 0;      // number of samples per rank and batch
    std::int64_t startedUnixMs = 0;  // start of the run by the wall clock, in milliseconds since 1970
    std::string config;              // whole experiment, as JSON text
    std::string wantedBackend = {};  // backend chosen in the experiment, which may be auto; empty: not known
    std::string wantedDevice = {};
    std::int64_t stepsBefore = 0;  // number of steps done by the run that this run resumes
};

// Event "rank": lifecycle state of a rank.
struct RankState {
    int rank = 0;
    RankStage state = RankStage::kStarting;
    std::string device;    // name of the device: "CPU 0" | "NVIDIA H200"; empty = unchanged
    std::int64_t pid = 0;  // id of the rank's process; 0 = unchanged
    std::int64_t timeUs = 0;
    // The rank that did not take part in a collective and thereby made this rank fail; -1: another reason.
    int missingRank = -1;
    // Name of the rank's host; in a class run, name of the person who runs the rank. Empty: unchanged since the last
    // event, or the host of the run if no event has contained a name.
    std::string host = {};
    std::string isa = {};  // instruction set or GPU that the rank computes with; empty: unchanged
    // Transport of the rank's collectives: shm, gloo, hierarchical, mpi, nccl or local; empty: unchanged.
    std::string transport = {};
    std::string hosts = {};  // host of each rank, such as "0 0 1 1", if all-reduces add the values within each host
                             // first; empty otherwise
};

// "steps": consecutive logged steps of one rank, as columns of equal length. In a thinned line each entry covers all
// steps from `from` to `step`: loss is the mean over all samples; correct, samples and dataUs are sums; endUs and epoch
// are those of the last step; the minima and maxima are over the single steps.
struct StepsFrame {
    int rank = 0;
    std::int64_t epoch = 0;
    std::vector<std::int64_t> step;  // numbers of the optimizer steps, from 1, increasing
    std::vector<double> loss;        // loss of each step, as the mean over this rank's batch
    // Number of correct predictions of each step; a sequence counts as the share of its tokens that are predicted
    // correctly. Empty for regression.
    std::vector<double> correct;
    std::vector<std::int64_t> samples;  // number of samples in this rank's batch
    std::vector<std::int64_t> endUs;    // time at which each step ended
    // Norm of the averaged gradient, the same on all ranks. The column is empty if no norm was measured in these steps.
    std::vector<double> gradientNorm;
    double learningRate = 0;
    // Time spent waiting for batches since the previous logged step. The column is empty if this time was not measured.
    std::vector<std::int64_t> dataUs;
    // First step of each entry; this column and the following columns are empty if each entry is one step.
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> count;  // number of logged steps in the entry
    std::vector<double> lossMinimum, lossMaximum;
    std::vector<double> accuracyMinimum, accuracyMaximum;  // lowest and highest accuracy of each entry; present if
                                                           // `correct` is
    std::vector<double> normMinimum, normMaximum;          // lowest and highest gradient norm of each entry; present if
                                                           // `gradientNorm` is

    // Time by phase of the traced steps in this event, in nanoseconds. The column of a phase is empty if no traced step
    // spent time in that phase.
    std::vector<std::int64_t> traced;  // step numbers of the traced steps
    std::array<std::vector<std::int64_t>, kPhaseCount> phaseNs = {};

    bool isThinned() const { return !from.empty(); }
};

// State of a rank's GPU; -1 for values that the device does not report.
struct GpuReading {
    double utilisationPercent = -1;
    std::int64_t usedBytes = -1;
    std::int64_t totalBytes = -1;
    double celsius = -1;
    double watts = -1;

    bool isKnown() const { return utilisationPercent >= 0 || usedBytes >= 0 || celsius >= 0 || watts >= 0; }
    bool operator==(const GpuReading&) const = default;
};

// "heartbeat": position of a rank, sent by the sink's heartbeat thread once a second, and at once when the rank has not
// advanced for a second.
struct Heartbeat {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    Phase phase = Phase::kIdle;
    std::int64_t collective = 0;  // number of the collective that the rank is in or has finished last
    std::int64_t residentBytes = 0;
    // Number of step records dropped by this rank since its start because the buffer of unsent records was full.
    std::int64_t droppedSteps = 0;
    std::int64_t timeUs = 0;
    std::int64_t batches = 0;    // number of batches fetched since the start, for training and validation
    GpuReading gpu = {};         // utilisation, memory, temperature and power of the rank's GPU; ranks that share a GPU
                                 // report the same values
    std::int64_t stalledUs = 0;  // time for which step, batches, collective and phase have not changed
    // Number of other events dropped by this rank since its start because the queue of unsent events was full.
    std::int64_t droppedEvents = 0;
};

// "epoch": result of an epoch, from rank 0 after the all-reduce. Exact values count each sample once; padded values
// count duplicated samples repeatedly, as PyTorch would.
struct EpochResult {
    std::int64_t epoch = 0;
    SplitKind split = SplitKind::kTrain;
    double loss = 0;
    double accuracy = 0;  // share of correct predictions, 0..1; NaN for regression
    std::int64_t samples = 0;
    double lossPadded = 0;
    double accuracyPadded = 0;
    std::int64_t samplesPadded = 0;
    std::int64_t step = 0;  // number of optimizer steps done when the result was computed
    std::int64_t timeUs = 0;
    std::int64_t nonFiniteBatches = 0;  // number of batches of all ranks whose loss was infinite or NaN
};

// "consumed": SHA-256 over the indices that a rank trained on in one epoch (little-endian int64).
struct Consumed {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t count = 0;
    std::string sha256;
};

// "indices": dataset indices of the samples that a rank trained on in one step, in order. Sent only while the step rate
// is low enough (IndexReport). A large batch is split over several events.
struct ConsumedIndices {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the optimizer step, from 1 over all epochs
    std::int64_t slot = 0;  // position of the first index in the rank's list of this epoch
    std::vector<std::int64_t> index;
    std::int64_t loader = 0;  // number of the DataLoader in a watched script, as in its "loader" facts
};

// "replica": checksum of a rank's parameters after an epoch. Replicas with equal checksums are in sync.
struct Replica {
    int rank = 0;
    std::int64_t step = 0;
    std::string hash;
    std::vector<std::string> names = {};  // names of the rank's tensors if each has its own checksum
    std::vector<std::int64_t> checksums = {};
};

// "memory": bytes allocated by a rank's engine, by purpose. Sent once, before the first step.
struct RankMemory {
    int rank = 0;
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;
    std::int64_t activations = 0;
    std::int64_t gathered = 0;  // bytes of complete parameters and gradients of sharded units
    std::int64_t buffers = 0;
    // Largest total of this rank's memory in bytes. Includes memory that the other members do not count.
    std::int64_t peak = 0;
    // Largest total of this rank's memory as predicted from the model and the strategy, in bytes; -1: not known.
    std::int64_t predictedPeak = -1;
};

// "traffic": bytes that a rank sent in one step with a full batch, as counted by its communicators. Sent for the first
// two such steps.
struct RankTraffic {
    int rank = 0;
    std::int64_t step = 0;
    std::int64_t bytes = 0;
};

// "clock": offset between a host's clock and the run's clock, by which the times of that host's ranks are corrected.
// Written repeatedly by the supervisor. All times are microseconds of CLOCK_MONOTONIC.
struct HostClock {
    int rank = 0;                  // lowest rank on that host
    std::int64_t offsetUs = 0;     // the host's clock minus the run's clock
    std::int64_t movedUs = 0;      // change of the offset since it was first reported
    std::int64_t errorUs = 0;      // upper bound of the error of the offset
    std::int64_t roundTripUs = 0;  // shortest round trip of the control connection in the last minutes
    double driftPpm = 0;  // rate at which the host's clock gains on the run's clock, in microseconds per second
    std::int64_t timeUs = 0;
};

// "links": traffic on a rank's connections to ranks on other hosts since the previous event of this kind, as parallel
// columns.
struct RankLinks {
    int rank = 0;
    std::vector<std::int64_t> peer = {};         // rank at the other end of each link
    std::vector<std::int64_t> roundTripUs = {};  // shortest round trip of each link in the last minutes
    std::vector<std::int64_t> bytes = {};        // bytes sent over each link
    std::vector<std::int64_t> busyUs = {};       // time in which bytes were in flight on each link
    // time in which the rank waited for the rest of a message of which it had received the beginning, by link; empty in
    // records of older versions
    std::vector<std::int64_t> waitUs = {};
    std::int64_t lengthUs = 0;  // length of the reported interval
    std::int64_t timeUs = 0;

    bool isEven() const {
        return roundTripUs.size() == peer.size() && bytes.size() == peer.size() && busyUs.size() == peer.size() &&
               (waitUs.empty() || waitUs.size() == peer.size());
    }
};

// "log": a line of the log. Rank -1 is the supervisor.
struct LogLine {
    int rank = -1;
    LogLevel level = LogLevel::kInfo;
    std::string text;
    std::int64_t timeUs = 0;
};

// "checkpoint": a checkpoint was written; sent by rank 0.
struct CheckpointSaved {
    std::int64_t step = 0;
    std::string path;  // path of the checkpoint, relative to the run directory
    std::int64_t timeUs = 0;
};

// "control": a command that the run has begun to execute, from rank 0. "pause" means that all ranks are paused after
// the phase `after` of a step; they continue with "resume", "step", "phase" or "stop".
struct Controlled {
    ControlKind command = ControlKind::kStop;
    double value = 0;
    std::int64_t step = 0;  // number of optimizer steps done
    std::int64_t epoch = 0;
    std::optional<Phase> after = {};  // phase after which the ranks are paused; for kPause only
    std::int64_t timeUs = 0;
};

// "local": result of a validation on a rank's own samples, not summed over the ranks (pitfalls.local_metrics).
struct LocalResult {
    int rank = 0;
    std::int64_t epoch = 0;
    double loss = 0;
    double accuracy = 0;  // share of correct predictions, 0..1; NaN for regression
    std::int64_t samples = 0;
    std::int64_t step = 0;
};

// "phase": phase of a step that a rank has entered. Sent only in slow motion and when the run advances phase by phase.
struct PhaseReached {
    int rank = 0;
    std::int64_t step = 0;  // number of the current step
    Phase phase = Phase::kIdle;
    std::int64_t timeUs = 0;
    int layer = -1;           // layer of the model that the rank works on; -1: not reported
    std::string action = {};  // action of the pipeline schedule, for example "0F3"; empty if there is none
};

// "pace": whether a rank keeps the pace that parallel.pace requests. Sent when this changes; initially the pace is
// assumed to be kept.
struct ThrottleKept {
    int rank = 0;
    std::int64_t step = 0;
    std::optional<bool> kept = true;
    double times = 1;  // duration of the longest pass as a multiple of the requested duration
};

// "gradients": gradients or weight changes of one rank in one step. Sent when a user requests them, or when the run
// pauses after each phase. Large tensors are reduced to fewer cells; the value of a cell is the element with the
// largest magnitude among the elements that it represents.
struct GradientView {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the step in which the gradients were computed
    GradientMoment moment = GradientMoment::kOwn;
    double norm = 0;  // norm of the reported vector
    // For the vector "mean" only: cosine similarity of the local gradient and the mean; NaN: not known.
    double cosine = 0;
    std::vector<std::string> names = {};  // names of the tensors
    std::vector<std::int64_t> rows = {};  // number of rows of each tensor's cells
    std::vector<std::int64_t> columns = {};
    std::vector<double> cells = {};  // cells of all tensors, tensor by tensor and row by row; empty if only the norms
                                     // are reported
    std::vector<double> tensorNorms = {};
    // The first values of each of the N parts into which a ring all-reduce divides the bucket; equally many values of
    // each part.
    std::vector<double> ring = {};
    // For the vector "change" only: checksum of each tensor's values after the update.
    std::vector<std::int64_t> checksums = {};
    std::int64_t timeUs = 0;
};

// "logged": a scalar that a watched script logs by itself, for example with SummaryWriter.add_scalar.
struct LoggedScalar {
    int rank = 0;
    std::string tag;        // the script's name for the scalar
    std::int64_t step = 0;  // step that the script passes; the number of optimizer steps if it passes none
    double value = 0;
    std::string source = {};  // origin of the scalar: "tensorboard" | "lightning" | "loss"; empty = not known
    std::int64_t timeUs = 0;
};

// Severity of a finding. A mistake changes the result of the training or of its measurement, a cost wastes time or
// memory, a note is a fact that the user should know.
enum class Severity : std::uint8_t { kMistake, kCost, kNote };

// Returns the name used in telemetry and in summary.json: "mistake", "cost" or "note".
std::string_view severityName(Severity severity);
std::optional<Severity> severityNamed(std::string_view name);

// "finding": a conclusion from the recorded evidence of a watched run. Reported while the script trains and at its end.
// A later finding with the same code replaces the earlier one.
struct Finding {
    std::string code;  // identifier of the check, for example "set-epoch-missing"
    Severity severity = Severity::kNote;
    std::string text;           // one sentence with the user's own numbers
    std::string where = {};     // line of the script, such as "train.py:48"; empty if there is none
    std::string evidence = {};  // evidence of the finding: a JSON object, as text; empty if there is none
    std::string remedy = {};
    std::int64_t timeUs = 0;
    std::optional<bool> withdrawn = {};  // true: later evidence contradicts the finding; no finding of this code holds
};

// "script": facts about a watched script, as one rank reports them. docs/watch-protocol.md lists the topics.
struct ScriptFacts {
    int rank = 0;
    std::string about;  // topic of the facts: "process", "loader", "pass", "optimizer", ...
    std::string facts;  // facts as a JSON object, as text
    std::int64_t timeUs = 0;
};

// "end": result of the run, the last line of every stream; same content as summary.json.
struct RunEnded {
    RunOutcome state = RunOutcome::kFailed;
    int exitCode = 0;
    int firstFailedRank = -1;
    std::string verdict;                 // one sentence that explains the end of the run
    std::vector<std::string> lastLines;  // last lines of the output of the first rank that failed
    std::int64_t steps = 0;
    double trainSeconds = 0;
    double stepsPerSecond = 0;
    double samplesPerSecond = 0;
    std::int64_t timeUs = 0;
    // Result of the comparison of the trained samples with the planned samples; empty before the first compared epoch.
    std::optional<bool> planVerified = {};
    std::int64_t auditedEpochs = 0;
    // Cause of the length of the last traced steps, and advice how to reduce it; empty if no step was traced.
    std::string timeVerdict = {};
    // First sample that differs from the plan: "rank 2, epoch 3, step 5, slot 17: planned 4242, trained 17".
    std::string planMismatch = {};
    // True if the rank first_failed_rank sent bytes that no correct rank sends. Not encoded; used only by the host of a
    // class run.
    bool isMisuse = false;
};

using Event =
    std::variant<RunStarted, RankState, StepsFrame, Heartbeat, EpochResult, Consumed, Replica, LogLine, CheckpointSaved,
                 RunEnded, ConsumedIndices, Controlled, StepTrace, RankMemory, ThrottleKept, GradientView, LocalResult,
                 PhaseReached, RankTraffic, HostClock, RankLinks, LoggedScalar, Finding, ScriptFacts>;

}  // namespace ringside
