// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/sink.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/processors/cpu_share.h"
#include "base/system/unique_fd.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

struct Link {
    UniqueFd reader, writer;
    Link() {
        int fds[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
        reader.reset(fds[0]);
        writer.reset(fds[1]);
    }
    // Reads events until `enough` returns true, for at most 10 s.
    std::vector<Event> readUntil(const std::function<bool(const std::vector<Event>&)>& enough) {
        std::vector<Event> events;
        Decoder decoder;
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!enough(events) && std::chrono::steady_clock::now() < deadline) {
            pollfd waiting{reader.get(), POLLIN, 0};
            if (::poll(&waiting, 1, 100) <= 0) continue;
            char buffer[65536];
            const ssize_t got = ::read(reader.get(), buffer, sizeof buffer);
            if (got <= 0) break;
            decoder.feed({buffer, static_cast<std::size_t>(got)}, [&](Event&& e) { events.push_back(std::move(e)); });
        }
        CHECK(decoder.badLines() == 0);
        CHECK(enough(events));
        return events;
    }
};

StepRecord record(std::int64_t step) {
    StepRecord one;
    one.step = step;
    one.epoch = (step - 1) / 10;
    one.loss = 0.5;
    one.correct = 3;
    one.samples = 4;
    one.endUs = step * 10;
    one.gradientNorm = std::numeric_limits<double>::quiet_NaN();
    return one;
}

SinkOptions optionsFor(int fd) {
    SinkOptions options;
    options.fd = fd;
    options.rank = 3;
    return options;
}

template <class E>
int countOf(const std::vector<Event>& events) {
    int count = 0;
    for (const Event& event : events) count += std::holds_alternative<E>(event) ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("frames are short if ranks share CPUs with the encoder thread") {
    for (const auto& [onlyWhereIdle, most] : {std::pair{true, std::size_t{512}}, std::pair{false, std::size_t{4096}}}) {
        Link link;
        SinkOptions options = optionsFor(link.writer.get());
        options.onlyWhereIdle = onlyWhereIdle;
        options.frameInterval = 60s;  // nothing is sent before the log line, which is urgent
        TelemetrySink sink(options);
        constexpr std::int64_t kSteps = 10000;
        for (std::int64_t step = 1; step <= kSteps; ++step) {
            StepRecord one = record(step);
            one.epoch = 0;
            sink.step(one);
        }
        sink.log(LogLevel::kInfo, "the end");
        std::size_t longest = 0;
        std::size_t steps = 0;
        for (const Event& event : link.readUntil([](const auto& events) { return countOf<LogLine>(events) == 1; })) {
            const auto* frame = std::get_if<StepsFrame>(&event);
            if (frame == nullptr) continue;
            longest = std::max(longest, frame->step.size());
            steps += frame->step.size();
        }
        CHECK(longest == most);
        CHECK(steps == kSteps);
    }
}

TEST_CASE("a traced step does not wait for the next frame") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.frameInterval = 60s;
    TelemetrySink sink(options);
    StepTrace trace;
    trace.rank = 3;
    trace.step = 7;
    sink.send(trace);
    const auto events = link.readUntil([](const auto& seen) { return countOf<StepTrace>(seen) == 1; });
    CHECK(countOf<StepTrace>(events) == 1);
}

TEST_CASE("the first heartbeat is sent at once") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.heartbeatInterval = 120s;
    TelemetrySink sink(options);
    link.readUntil([](const auto& seen) { return countOf<Heartbeat>(seen) == 1; });
}

TEST_CASE("a stalled rank reports its current step once") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.heartbeatInterval = 40ms;
    TelemetrySink sink(options);
    StepTrace open;
    open.rank = 3;
    open.step = 7;
    open.lengthNs = -1;
    sink.watchStep([open] { return open; });
    const auto events = link.readUntil([](const auto& seen) {
        return countOf<StepTrace>(seen) == 1 && std::ranges::count_if(seen, [](const Event& event) {
                                                    const auto* beat = std::get_if<Heartbeat>(&event);
                                                    return beat != nullptr && beat->stalledUs > 1'300'000;
                                                }) > 0;
    });
    CHECK(countOf<StepTrace>(events) == 1);
    sink.watchStep({});
}

TEST_CASE("steps arrive complete, split by epoch, before the event sent after them") {
    Link link;
    TelemetrySink sink(optionsFor(link.writer.get()));
    for (std::int64_t step = 1; step <= 25; ++step) sink.step(record(step));
    EpochResult result;
    result.split = SplitKind::kTrain;
    sink.send(result);
    sink.step(record(26));
    CHECK(sink.flush(10s));
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> after;
    const auto events = link.readUntil([](const auto& seen) { return countOf<StepsFrame>(seen) >= 4; });
    bool passed = false;
    for (const Event& event : events) {
        if (std::holds_alternative<EpochResult>(event)) passed = true;
        if (const auto* frame = std::get_if<StepsFrame>(&event)) {
            CHECK(frame->rank == 3);
            for (const std::int64_t step : frame->step) CHECK((step - 1) / 10 == frame->epoch);
            (passed ? after : before).insert((passed ? after : before).end(), frame->step.begin(), frame->step.end());
        }
    }
    REQUIRE(before.size() == 25);
    CHECK(before.front() == 1);
    CHECK(before.back() == 25);
    CHECK(after == std::vector<std::int64_t>{26});
}

TEST_CASE("an occasionally measured norm stays with its step") {
    Link link;
    TelemetrySink sink(optionsFor(link.writer.get()));
    for (std::int64_t step = 1; step <= 4; ++step) {
        StepRecord one = record(step);
        if (step == 3) one.gradientNorm = 0.25;
        sink.step(one);
    }
    CHECK(sink.flush(10s));
    const auto events = link.readUntil([](const auto& seen) {
        std::size_t steps = 0;
        for (const Event& event : seen)
            if (const auto* frame = std::get_if<StepsFrame>(&event)) steps += frame->step.size();
        return steps >= 4;
    });
    // The sink may send at any moment, so the four events may arrive in more than one frame.
    for (const Event& event : events) {
        const auto* frame = std::get_if<StepsFrame>(&event);
        if (frame == nullptr) continue;
        const bool measured = std::ranges::find(frame->step, 3) != frame->step.end();
        REQUIRE(frame->gradientNorm.size() == (measured ? frame->step.size() : 0));
        for (std::size_t i = 0; i < frame->gradientNorm.size(); ++i)
            CHECK((frame->step[i] == 3 ? frame->gradientNorm[i] == 0.25 : std::isnan(frame->gradientNorm[i])));
    }
}

TEST_CASE("heartbeats carry the progress while the training thread does nothing") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.heartbeatInterval = 10ms;
    TelemetrySink sink(options);
    sink.progress().step = 41;
    sink.progress().batches = 82;
    sink.progress().phase.enter(Phase::kWaiting);
    sink.watchCollective([] { return std::int64_t{77}; });
    const auto complete = [](const Event& event) {
        const auto* beat = std::get_if<Heartbeat>(&event);
        return beat != nullptr && beat->step == 41 && beat->collective == 77;
    };
    const auto events = link.readUntil([&](const auto& seen) { return !seen.empty() && complete(seen.back()); });
    const auto& beat = std::get<Heartbeat>(events.back());
    CHECK(beat.phase == Phase::kWaiting);
    CHECK(beat.batches == 82);
    CHECK(beat.residentBytes > 0);
}

TEST_CASE("a sink that encodes only on idle CPUs still delivers every step and heartbeat") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.onlyWhereIdle = true;
    TelemetrySink sink(options);
    for (std::int64_t step = 1; step <= 500; ++step) sink.step(record(step));
    CHECK(sink.flush(60s));
    std::vector<std::int64_t> steps;
    bool beating = false;
    link.readUntil([&](const auto& seen) {
        steps.clear();
        for (const Event& event : seen) {
            if (const auto* frame = std::get_if<StepsFrame>(&event))
                steps.insert(steps.end(), frame->step.begin(), frame->step.end());
            beating = beating || std::holds_alternative<Heartbeat>(event);
        }
        return beating && steps.size() >= 500;
    });
    REQUIRE(steps.size() == 500);
    for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i] == static_cast<std::int64_t>(i) + 1);
}

namespace {

// A single CPU that other programs use completely: a thread that runs only on idle CPUs gets hardly any time.
class BusyProcessor {
  public:
    BusyProcessor() {
        m_thread = std::thread([this] {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(allowedCpus().front(), &one);
            m_pinned = ::sched_setaffinity(0, sizeof one, &one) == 0;
            std::vector<std::thread> others;  // threads that keep the same CPU busy
            for (int i = 0; i < 4; ++i)
                others.emplace_back([this] {
                    while (!m_over) continue;
                });
            for (std::unique_lock lock(m_mutex); !m_over;) {
                m_asked.wait(lock, [&] { return m_over || m_task; });
                if (m_task) {
                    const std::function<void()> task = m_task;
                    lock.unlock();
                    task();
                    lock.lock();
                }
                m_task = {};
                m_done.notify_one();
            }
            for (std::thread& other : others) other.join();
        });
    }
    ~BusyProcessor() {
        run([this] { m_over = true; });
        m_thread.join();
    }
    void begin(std::function<void()> task) {
        const std::lock_guard lock(m_mutex);
        m_task = std::move(task);
        m_asked.notify_one();
    }
    void run(std::function<void()> task) {
        begin(std::move(task));
        wait();
    }
    bool isPinned() const { return m_pinned; }
    // Waits until it has run.
    void wait() {
        std::unique_lock lock(m_mutex);
        m_done.wait(lock, [&] { return !m_task; });
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_asked, m_done;
    std::function<void()> m_task;
    std::atomic<bool> m_over{false};
    std::atomic<bool> m_pinned{false};
    std::thread m_thread;
};

}  // namespace

TEST_CASE("a sink that encodes only on idle CPUs delivers even if other programs use all CPUs") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.onlyWhereIdle = true;
    std::unique_ptr<TelemetrySink> sink;
    BusyProcessor busy;
    busy.run([&] { sink = std::make_unique<TelemetrySink>(options); });
    REQUIRE(busy.isPinned());
    constexpr int kLines = 8000;
    const auto allCame = [](const auto& seen) { return countOf<LogLine>(seen) == kLines; };
    const auto log = [&] {
        for (int i = 0; i < kLines; ++i) sink->log(LogLevel::kInfo, "one of many");
    };
    log();
    link.readUntil(allCame);
    log();
    bool flushed = false;
    busy.begin([&] { flushed = sink->flush(60s); });
    link.readUntil(allCame);
    busy.wait();
    CHECK(flushed);
    sink.reset();
}

TEST_CASE("a reader that never reads causes dropped steps, but no delay") {
    Link link;
    SinkOptions options = optionsFor(link.writer.get());
    options.ringCapacity = 1024;
    TelemetrySink sink(options);
    constexpr std::int64_t kSteps = 200000;
    for (std::int64_t step = 1; step <= kSteps; ++step) sink.step(record(step));
    CHECK(sink.droppedSteps() > 0);
    CHECK(sink.droppedSteps() < kSteps);
}

TEST_CASE("the last heartbeat reports events that were dropped since the one before") {
    Link link;
    auto sink = std::make_unique<TelemetrySink>(optionsFor(link.writer.get()));
    ConsumedIndices tooMany;
    tooMany.index.resize(4'000'000);  // more indices than the queue can hold
    sink->send(tooMany);
    sink->send(tooMany);
    CHECK(sink->droppedEvents() == 2);
    sink.reset();
    link.writer.reset();
    const std::vector<Event> events = link.readUntil([](const std::vector<Event>& seen) {
        const auto* beat = seen.empty() ? nullptr : std::get_if<Heartbeat>(&seen.back());
        return beat != nullptr && beat->droppedEvents == 2;
    });
    CHECK(countOf<ConsumedIndices>(events) == 0);
}

TEST_CASE("flush succeeds only when the reader has read everything") {
    Link link;
    TelemetrySink sink(optionsFor(link.writer.get()));
    constexpr int kLines = 10000;  // more lines than the buffer of a socket can hold
    for (int i = 0; i < kLines; ++i) sink.log(LogLevel::kInfo, "one of many lines that no peer reads yet");
    CHECK_FALSE(sink.flush(50ms));
    bool flushed = false;
    std::thread waiting([&] { flushed = sink.flush(60s); });
    link.readUntil([](const auto& seen) { return countOf<LogLine>(seen) == kLines; });
    waiting.join();
    CHECK(flushed);
}

TEST_CASE("flush gives up at its deadline while more than a mebibyte is not written") {
    Link link;
    TelemetrySink sink(optionsFor(link.writer.get()));
    const std::string text(500, 'x');
    for (int i = 0; i < 10'000; ++i) sink.log(LogLevel::kInfo, text);
    CHECK_FALSE(sink.flush(50ms));
    CHECK_FALSE(sink.flush(50ms));  // after this, no new events are encoded
    link.reader.reset();
}

TEST_CASE("flush returns false at once without a reader") {
    Link link;
    TelemetrySink sink(optionsFor(link.writer.get()));
    link.reader.reset();
    sink.log(LogLevel::kInfo, "no peer listens");
    CHECK_FALSE(sink.flush(10s));
}

TEST_CASE("a sink without a descriptor drops everything silently") {
    TelemetrySink sink(optionsFor(-1));
    sink.step(record(1));
    sink.state(RankStage::kTraining);
    CHECK_FALSE(sink.flush(10s));
}
