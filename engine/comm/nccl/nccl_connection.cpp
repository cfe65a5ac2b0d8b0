// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_connection.h"

#include <cstring>
#include <thread>
#include <utility>

#include "base/errors/errors.h"
#include "comm/collective_text.h"

namespace ringside {
namespace {

constexpr const char* kIdKey = "nccl-unique-id";
constexpr NcclOperation kConnecting{"connecting the ranks"};

}  // namespace

NcclConnection::NcclConnection(std::shared_ptr<NcclApi> api, std::shared_ptr<GpuRuntime> device,
                               std::shared_ptr<const Clock> clock, int rank, int size, NcclDeadlines deadlines)
    : m_api(std::move(api)),
      m_device(std::move(device)),
      m_clock(std::move(clock)),
      m_rank(rank),
      m_size(size),
      m_deadlines(deadlines) {}

NcclConnection::~NcclConnection() {
    try {
        if (m_comm) finish();
    } catch (const std::exception&) {
        // The error is ignored, because fail() has already started the abort, and a destructor must not throw.
    }
    endAfterAbort();
}

void NcclConnection::connect(Store& store) {
    NcclUniqueId id;
    shareUniqueId(store, id);
    const NcclResult started = m_api->commInitRank(m_comm, m_size, id, m_rank);
    const NcclResult result = !isError(started) ? waitWhileInProgress(kConnecting, m_deadlines.connect) : started;
    if (result != NcclResult::kSuccess)
        fail("connecting " + std::to_string(m_size) + " ranks failed: " + ncclResultText(result) + recordingRemedy());
    ++m_connected;
}

std::unique_ptr<NcclConnection> NcclConnection::split(int colour, int key, int rank, int size) {
    constexpr NcclOperation kSplitting{"splitting the ranks into groups"};
    throwIfFailed(kSplitting);
    auto group = std::make_unique<NcclConnection>(m_api, m_device, m_clock, rank, size, m_deadlines);
    group->setOnHungAbort(m_onHungAbort);
    finishSplit(m_api->commSplit(m_comm, colour, key, group->m_comm), *this, kSplitting);
    if (colour < 0) return nullptr;
    if (!group->m_comm) fail(kSplitting.text() + " has not created a communicator");
    finishSplit(NcclResult::kInProgress, *group, kSplitting);
    return group;
}

// Waits until the split of a communicator has ended. NCCL 2.28 returns success from ncclCommSplit() although the split
// is in progress, and sets the new communicator only when the state of the parent is success.
void NcclConnection::finishSplit(NcclResult started, NcclConnection& waiting, const NcclOperation& splitting) {
    const NcclResult result = !isError(started) ? waiting.waitWhileInProgress(splitting, m_deadlines.connect) : started;
    if (result != NcclResult::kSuccess) fail(splitting.text() + " failed: " + ncclResultText(result));
}

bool NcclConnection::wasBrokenByRecording() {
    if (!m_comm || !m_refusedRecording) return false;
    const NcclResult state = asyncState();
    return state != NcclResult::kSuccess && state != NcclResult::kInProgress;
}

void NcclConnection::connectAgain(Store& store) {
    beginAbort();
    if (!waitForAbort()) fail("the abort of NCCL did not end in time" + recordingRemedy());
    connect(store);
    m_refusedRecording = false;
}

// Exchanges NCCL's unique id through the store. The value in the store is NCCL's version as 4 bytes in host byte order,
// then the id; all ranks run on the same kind of machine.
void NcclConnection::shareUniqueId(Store& store, NcclUniqueId& id) {
    const std::string key = m_connected == 0 ? kIdKey : kIdKey + std::to_string(m_connected + 1);
    const int version = m_api->version();
    std::vector<char> value(sizeof version + id.bytes.size());
    if (m_rank == 0) {
        const NcclResult result = m_api->getUniqueId(id);
        if (result != NcclResult::kSuccess) fail("creating a unique id failed: " + ncclResultText(result));
        std::memcpy(value.data(), &version, sizeof version);
        std::memcpy(value.data() + sizeof version, id.bytes.data(), id.bytes.size());
        store.set(key, value);
        return;
    }
    const std::vector<char> received = store.get(key, m_deadlines.connect);
    if (received.size() != value.size()) fail("the unique id from rank 0 has the wrong length");
    int versionOfRank0 = 0;
    std::memcpy(&versionOfRank0, received.data(), sizeof versionOfRank0);
    if (versionOfRank0 != version)
        fail("this rank has NCCL " + ncclVersionText(version) + ", rank 0 has " + ncclVersionText(versionOfRank0) +
             ": install the same version for all ranks");
    std::memcpy(id.bytes.data(), received.data() + sizeof version, id.bytes.size());
}

NcclResult NcclConnection::asyncState() {
    NcclResult state = NcclResult::kSuccess;
    const NcclResult queried = m_api->commGetAsyncError(m_comm, state);
    return queried == NcclResult::kSuccess ? state : queried;
}

NcclResult NcclConnection::waitWhileInProgress(const NcclOperation& operation, std::chrono::milliseconds limit) {
    const TimePoint start = m_clock->now();
    for (;;) {
        const NcclResult state = asyncState();
        if (state != NcclResult::kInProgress) return state;
        if (m_abortRequested) fail("communication was aborted during " + operation.text());
        if (m_clock->now() - start >= limit)
            fail(operation.text() + " did not finish within " + describeDuration(limit) +
                 ": a rank did not start, has died or hangs");
        m_device->pause();
    }
}

void NcclConnection::waitForResult(NcclResult result, const NcclOperation& operation) {
    if (result == NcclResult::kSuccess) return;
    if (result == NcclResult::kInProgress) result = waitWhileInProgress(operation, m_deadlines.collective);
    if (result == NcclResult::kSuccess) return;
    if (result == NcclResult::kInvalidArgument)
        throw CommError("rank " + std::to_string(m_rank) + ": NCCL refused " + operation.text() + ": " +
                        m_api->lastError(m_comm));
    failWithResult(result, operation);
}

void NcclConnection::checkRecordedCall(NcclResult result, const NcclOperation& operation) {
    if (result == NcclResult::kSuccess || result == NcclResult::kInProgress) return waitForResult(result, operation);
    m_refusedRecording = true;
    throw CommError("rank " + std::to_string(m_rank) + ": NCCL cannot record " + operation.text() + ": " +
                    ncclResultText(result));
}

void NcclConnection::throwIfFailed(const NcclOperation& operation) {
    if (!m_comm) throwCause();
    if (m_abortRequested) fail("communication was aborted during " + operation.text());
    const NcclResult state = asyncState();
    if (state != NcclResult::kSuccess && state != NcclResult::kInProgress) failWithResult(state, operation);
}

void NcclConnection::waitUntil(const std::function<bool()>& done, const NcclOperation& operation) {
    const TimePoint start = m_clock->now();
    while (!done()) {
        throwIfFailed(operation);
        if (m_clock->now() - start >= m_deadlines.collective) failForTimeout(operation);
        m_device->pause();
    }
}

void NcclConnection::waitWithoutTimeout(const std::function<bool()>& done, const NcclOperation& operation) {
    while (!done()) {
        throwIfFailed(operation);
        m_device->pause();
    }
}

void NcclConnection::failForTimeout(const NcclOperation& operation) {
    fail(operation.text() + " did not finish within " + describeDuration(m_deadlines.collective) +
         ": another rank has died or hangs; see the last lines of all ranks, or raise parallel.timeout_seconds");
}

// Starts the abort and throws an error that describes `result`. Stores whether the GPU caused the failure, because NCCL
// often detects a failure of the GPU before any CUDA call does.
void NcclConnection::failWithResult(NcclResult result, const NcclOperation& operation) {
    m_gpuFailed = result == NcclResult::kUnhandledCudaError;
    fail(operation.text() + " failed: " + ncclResultText(result) + recordingRemedy());
}

std::string NcclConnection::recordingRemedy() const {
    if (!m_refusedRecording) return "";
    return std::string("; NCCL could not be recorded as a CUDA graph: set the environment variable ") +
           kGraphsVariable + "=off and start the run again";
}

void NcclConnection::fail(const std::string& text) {
    std::string whole = "rank " + std::to_string(m_rank) + ": NCCL: " + text;
    if (m_comm) {
        const std::string detail = m_api->lastError(m_comm);
        if (!detail.empty()) whole += " [" + detail + "]";
        beginAbort();
    }
    m_causeOfDeath = whole;
    throwCause();
}

void NcclConnection::throwCause() const {
    if (m_causeOfDeath.empty()) throw CommError("rank " + std::to_string(m_rank) + ": NCCL is not connected");
    if (m_gpuFailed) throw DeviceError(m_causeOfDeath);
    throw CommError(m_causeOfDeath);
}

// Starts the abort in a separate thread. ncclCommAbort() stops the kernels at once, but returns only after all CUDA
// graphs that contain them are destroyed, which happens after the failure has been thrown.
void NcclConnection::beginAbort() noexcept {
    const NcclComm comm = std::exchange(m_comm, nullptr);
    try {
        auto aborted = std::make_shared<std::promise<void>>();
        m_aborted = aborted->get_future();
        std::thread([api = m_api, comm, aborted] {
            api->commAbort(comm);
            aborted->set_value();
        }).detach();
    } catch (const std::exception&) {
        // No thread can be created, so the abort is not started. The process will end soon because of the failure.
    }
}

// Waits for the abort, at most for NcclDeadlines::abort, because it can hang inside NCCL (a proxy thread in poll).
bool NcclConnection::waitForAbort() const {
    return !m_aborted.valid() || m_aborted.wait_for(m_deadlines.abort) == std::future_status::ready;
}

void NcclConnection::endAfterAbort() {
    if (waitForAbort() || !m_onHungAbort) return;
    if (m_gpuFailed) return m_onHungAbort(DeviceError(m_causeOfDeath));
    m_onHungAbort(CommError(m_causeOfDeath));
}

void NcclConnection::finish() {
    constexpr NcclOperation kClosing{"closing the communicator"};
    waitForResult(m_api->commFinalize(m_comm), kClosing);
    const NcclResult state = waitWhileInProgress(kClosing, m_deadlines.collective);
    if (state != NcclResult::kSuccess) fail("closing failed: " + ncclResultText(state));
    m_api->commDestroy(std::exchange(m_comm, nullptr));
}

}  // namespace ringside
