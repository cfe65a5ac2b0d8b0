// SPDX-License-Identifier: Apache-2.0
#include "run/record/plan_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/crypto/sha256.h"
#include "base/processors/processors.h"
#include "sampling/plan/class_labels.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMaxTasks = 4096;
constexpr std::size_t kMaxQueuedIndices = 1U << 20;
constexpr std::size_t kMaxIncomplete = 4096;
constexpr int kLowestPriority = 19;

}  // namespace

std::string trainedHash(const ShardPlan& plan, int rank) {
    return trainedHash(plan, rank, plan.trainedOf(rank));
}

std::string trainedHash(const ShardPlan& plan, int rank, std::int64_t count) {
    Sha256 sum;
    std::array<std::int64_t, 1024> chunk{};
    for (std::int64_t slot = 0; slot < count;) {
        std::size_t filled = 0;
        while (slot < count && filled < chunk.size()) chunk[filled++] = plan.index(rank, slot++);
        sum.add(std::as_bytes(std::span(chunk).first(filled)));
    }
    return sum.hex();
}

std::string PlanMismatch::text() const {
    std::string place = "rank " + std::to_string(rank) + ", epoch " + std::to_string(epoch + 1);
    if (slot < 0)
        return place + ": the trained samples differ from the planned samples (found by comparing their hashes)";
    place += ", step " + std::to_string(step) + ", slot " + std::to_string(slot) + ": ";
    return place + (planned < 0 ? "no sample planned" : "planned " + std::to_string(planned)) + ", trained " +
           std::to_string(trained);
}

PlanWatch::PlanWatch(PlanWatchOptions options) : m_options(std::move(options)) {}

PlanWatch::~PlanWatch() {
    if (!m_thread.joinable()) return;
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        m_tasks.clear();
    }
    m_wake.notify_all();
    m_thread.join();
}

void PlanWatch::add(const Consumed& report) {
    std::vector<Consumed>& epoch = m_incomplete[report.epoch];
    // A restarted script can report an epoch of a rank a second time: the later report replaces the earlier one.
    std::erase_if(epoch, [&](const Consumed& earlier) { return earlier.rank == report.rank; });
    epoch.push_back(report);
    if (static_cast<std::int64_t>(epoch.size()) == m_options.config.dataRanks()) {
        queue({[this, reports = std::move(epoch)] { auditEpoch(reports); }});
        m_incomplete.erase(report.epoch);
    }
    if (m_incomplete.size() > kMaxIncomplete) m_incomplete.erase(m_incomplete.begin());
}

void PlanWatch::add(const ConsumedIndices& report) {
    queue({[this, report] { compare(report); }, report.index.size()});
}

void PlanWatch::queue(Task task) {
    if (m_options.datasetSize > kLargestSet) return;
    if (!m_thread.joinable()) m_thread = std::thread([this] { runThread(); });
    {
        const std::lock_guard lock(m_mutex);
        if (m_tasks.size() >= kMaxTasks || m_queuedIndices + task.indices > kMaxQueuedIndices) return;
        m_queuedIndices += task.indices;
        m_tasks.push_back(std::move(task));
    }
    m_wake.notify_all();
}

PlanResults PlanWatch::takeResults() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_newResults, {});
}

void PlanWatch::disablePauses() {
    {
        const std::lock_guard lock(m_mutex);
        m_pausesDisabled = true;
    }
    m_wake.notify_all();
}

PlanResults PlanWatch::finish(std::chrono::milliseconds deadline) {
    for (auto& [epoch, reports] : std::exchange(m_incomplete, {})) {
        queue({[this, reports = std::move(reports)] { auditEpoch(reports); }});
    }
    std::unique_lock lock(m_mutex);
    m_pausesDisabled = true;
    m_wake.notify_all();
    m_done.wait_for(lock, deadline, [&] { return m_tasks.empty() && !m_busy; });
    return std::exchange(m_newResults, {});
}

void PlanWatch::runThread() {
    nameThread("plan watch");
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowestPriority);
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [&] { return m_stopping || !m_tasks.empty(); });
        if (m_stopping) return;
        const Task task = std::move(m_tasks.front());
        m_tasks.pop_front();
        m_queuedIndices -= task.indices;
        m_busy = true;
        lock.unlock();
        const auto start = steady_clock::now();
        task.run();
        const auto pause = (steady_clock::now() - start) * (1 / m_options.share - 1);
        if (m_options.onResults) m_options.onResults();
        lock.lock();
        m_busy = false;
        m_done.notify_all();
        m_wake.wait_for(lock, pause, [&] { return m_stopping || m_pausesDisabled; });
    }
}

// Returns the assignment of samples to ranks (ShardPlan) in an epoch; null if it cannot be computed. Caches the latest
// assignment, because reports of one epoch arrive one after another.
const ShardPlan* PlanWatch::planOf(std::int64_t epoch) {
    ShardSpec spec = epochSpec(m_options.config, m_options.datasetSize, epoch);
    if (needsClasses(spec.kind)) {
        if (!m_classes && m_options.classes) m_classes = m_options.classes();
        if (!m_classes || m_classes->size() != spec.datasetSize) return nullptr;
        spec.data = m_classes;
    }
    if (m_plan && m_plan->spec() == spec) return &*m_plan;
    const Result<ShardPlan> made = ShardPlan::make(spec);
    if (!made) return nullptr;
    m_plan = made.value();
    return &*m_plan;
}

void PlanWatch::addMismatch(const PlanMismatch& mismatch) {
    if (!m_known.emplace(mismatch.rank, mismatch.epoch).second) return;
    const std::lock_guard lock(m_mutex);
    m_newResults.mismatches.push_back(mismatch);
}

void PlanWatch::auditEpoch(const std::vector<Consumed>& reports) {
    const ShardPlan* plan = planOf(reports.front().epoch);
    if (plan == nullptr) return;
    bool isComplete = static_cast<std::int64_t>(reports.size()) == plan->spec().worldSize;
    for (const Consumed& report : reports) {
        const bool known = report.rank >= 0 && report.rank < plan->spec().worldSize;
        const std::int64_t planned = known ? plan->trainedOf(report.rank) : 0;
        const bool isLeft = m_options.mayEndEarly && report.count >= 0 && report.count < planned;
        const std::int64_t compared = isLeft ? report.count : planned;
        if (!known || trainedHash(*plan, report.rank, compared) != report.sha256)
            addMismatch({report.rank, report.epoch});
        isComplete = isComplete && !isLeft;
    }
    if (!isComplete) return;
    const std::lock_guard lock(m_mutex);
    m_newResults.auditedEpochs.push_back(reports.front().epoch);
}

void PlanWatch::compare(const ConsumedIndices& report) {
    const ShardPlan* plan = planOf(report.epoch);
    if (plan == nullptr || report.rank < 0 || report.rank >= plan->spec().worldSize) return;
    std::int64_t slot = report.slot;
    for (const std::int64_t trained : report.index) {
        const std::int64_t planned = slot < plan->trainedOf(report.rank) ? plan->index(report.rank, slot) : -1;
        if (trained != planned) {
            addMismatch({report.rank, report.epoch, slot, slot / plan->spec().batchSize + 1, planned, trained});
            return;
        }
        ++slot;
    }
    PlanResults::Confirmed& reached = m_confirmed[report.rank];
    if (report.slot != 0 && (reached.epoch != report.epoch || reached.count != report.slot)) return;
    reached = {report.rank, report.epoch, slot};
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_newResults.confirmed, [&](const auto& one) { return one.rank == report.rank; });
    m_newResults.confirmed.push_back(reached);
}

}  // namespace ringside
