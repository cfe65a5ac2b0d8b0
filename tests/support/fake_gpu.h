// SPDX-License-Identifier: Apache-2.0
// Fake GPU: streams are lists of work that runs when the host queries an event or pauses, and time advances only in
// pauses. Work can be recorded and launched as a CUDA graph, under CUDA's rules.
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "backend/cuda/kernels/value_kernels.h"
#include "base/errors/errors.h"
#include "base/time/clock.h"
#include "tensor/gpu_runtime.h"

namespace ringside::testing {

class FakeClock final : public Clock {
  public:
    TimePoint now() const override { return time; }
    TimePoint time{};
};

class FakeDevice : public GpuRuntime {
  public:
    struct Work {
        std::function<bool()> ready;  // returns true if the work may run now
        std::function<void()> run;
    };
    struct Stream {
        std::deque<Work> work;
    };
    using Mark = std::shared_ptr<bool>;  // true once the stream has reached one record() of an event
    struct Event {
        Mark mark = std::make_shared<bool>(true);
        // True if the latest record() was part of a recording, so that the event cannot be queried.
        bool captured = false;
        Stream* recordedOn = nullptr;
    };
    using Marks = std::map<Event*, Mark>;  // marks of one launch of a graph, by event
    using Graph = std::vector<std::function<void(Marks&)>>;

    explicit FakeDevice(std::shared_ptr<FakeClock> clock) : m_clock(std::move(clock)) {}
    ~FakeDevice() override {
        for (void* memory : m_memory) std::free(memory);
    }

    DeviceStream createStream() override { return keep(m_streams); }
    void destroyStream(DeviceStream) noexcept override { ++streamsDestroyed; }
    DeviceEvent createEvent() override { return keep(m_events); }
    void destroyEvent(DeviceEvent) noexcept override { ++eventsDestroyed; }

    void record(DeviceEvent event, DeviceStream stream) override {
        failIfLost();
        Event* target = static_cast<Event*>(event);
        target->recordedOn = streamOf(stream);
        target->captured = isRecorded(stream);
        if (target->captured) return m_graph.push_back([=, this](Marks& marks) { marks[target] = newMark(stream); });
        target->mark = newMark(stream);
    }
    void streamWaits(DeviceStream stream, DeviceEvent event) override {
        Event* source = static_cast<Event*>(event);
        if (!source->captured) {
            if (isRecorded(stream)) throw DeviceError("dependency created on uncaptured work in another stream");
            return waitFor(stream, source->mark);
        }
        m_branches.insert(streamOf(stream));
        if (streamOf(stream) == &m_computeStream) m_branches.erase(source->recordedOn);
        m_graph.push_back([=, this](Marks& marks) { waitFor(stream, marks[source]); });
    }
    bool finished(DeviceEvent event) override {
        if (m_recording || static_cast<Event*>(event)->captured)
            throw DeviceError("operation not permitted when stream is capturing");
        failIfLost();
        advance();
        return *static_cast<Event*>(event)->mark;
    }

    void* allocate(std::size_t bytes) override {
        if (m_recording) throw DeviceError("operation not permitted when stream is capturing");
        constexpr std::size_t kAlignment = 64;
        const std::size_t rounded = (bytes / kAlignment + 1) * kAlignment;
        void* memory = std::aligned_alloc(kAlignment, rounded);
        std::memset(memory, 0, rounded);
        m_memory.insert(memory);
        m_sizes[memory] = bytes;
        return memory;
    }
    void release(void* memory) noexcept override {
        if (m_memory.erase(memory)) std::free(memory);
        m_sizes.erase(memory);
    }
    void* allocateHost(std::size_t bytes) override {
        ++hostMemoryHeld;
        return std::malloc(bytes);
    }
    void releaseHost(void* memory) noexcept override {
        --hostMemoryHeld;
        std::free(memory);
    }
    bool isHostMemory(const void* memory) override {
        for (const auto& [start, bytes] : m_sizes)
            if (memory >= start && memory < static_cast<const char*>(start) + bytes) return false;
        return true;
    }
    void copy(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
        enqueue(
            stream, [] { return true; }, [=] { std::memcpy(to, from, bytes); });
    }
    // Runs the body of the kernel that the CUDA runtime launches on a real GPU.
    void addInTree(float* blocks, std::size_t count, int ranks, float* out, DeviceStream stream) override {
        ++treeSums;
        const cuda::TreeSumValue value{blocks, count, static_cast<std::size_t>(ranks), out};
        enqueue(
            stream, [] { return true; },
            [=] {
                for (std::size_t i = 0; i < count; ++i) value(i);
            });
    }
    void pause() override {
        m_clock->time += std::chrono::milliseconds(1);
        ++pauses;
        if (onPause) onPause();
        advance();
    }

    void enqueue(DeviceStream stream, std::function<bool()> ready, std::function<void()> run) {
        if (isRecorded(stream)) {
            m_branches.insert(streamOf(stream));
            return m_graph.push_back([=, this](Marks&) { enqueue(stream, ready, run); });
        }
        streamOf(stream)->work.push_back({std::move(ready), std::move(run)});
    }

    // Records the work that `work` enqueues on the compute stream and on the streams that wait for events recorded
    // there. Each of these streams must be joined to the compute stream again.
    Graph recorded(const std::function<void()>& work) {
        m_recording = true;
        m_graph.clear();
        m_branches = {&m_computeStream};
        try {
            work();
        } catch (...) {
            m_recording = false;
            throw;
        }
        m_recording = false;
        if (m_branches.size() > 1) throw DeviceError("capture has unjoined work");
        return std::move(m_graph);
    }
    bool isRecording() const { return m_recording; }
    static void launch(const Graph& graph) {
        Marks marks;
        for (const auto& call : graph) call(marks);
    }
    DeviceStream computeStream() { return &m_computeStream; }
    bool isIdle() const { return m_computeStream.work.empty(); }
    void advance() {
        for (bool moved = true; moved;) {
            moved = runFront(m_computeStream);
            for (auto& stream : m_streams) moved = runFront(*stream) || moved;
        }
    }

    std::function<void()> onPause;
    bool lost = false;  // true: all operations fail, as after a GPU has disconnected from the bus
    int pauses = 0;
    int treeSums = 0;  // number of calls of addInTree()
    int streamsDestroyed = 0;
    int eventsDestroyed = 0;
    int hostMemoryHeld = 0;
    std::size_t eventsMade() const { return m_events.size(); }
    std::size_t memoryHeld() const { return m_memory.size(); }

  private:
    void failIfLost() const {
        if (lost)
            throw DeviceError("GPU 3 (fake) failed while ordering streams: unspecified (cudaErrorUnknown): see dmesg");
    }
    Stream* streamOf(DeviceStream stream) { return stream ? static_cast<Stream*>(stream) : &m_computeStream; }
    bool isRecorded(DeviceStream stream) { return m_recording && m_branches.count(streamOf(stream)) > 0; }
    Mark newMark(DeviceStream stream) {
        auto mark = std::make_shared<bool>(false);
        enqueue(
            stream, [] { return true; }, [mark] { *mark = true; });
        return mark;
    }
    void waitFor(DeviceStream stream, const Mark& mark) {
        enqueue(
            stream, [mark] { return *mark; }, [] {});
    }
    template <class T>
    static T* keep(std::vector<std::unique_ptr<T>>& all) {
        all.push_back(std::make_unique<T>());
        return all.back().get();
    }
    static bool runFront(Stream& stream) {
        if (stream.work.empty() || !stream.work.front().ready()) return false;
        auto work = std::move(stream.work.front());
        stream.work.pop_front();
        work.run();
        return true;
    }

    std::shared_ptr<FakeClock> m_clock;
    Stream m_computeStream;
    bool m_recording = false;
    Graph m_graph;
    std::set<Stream*> m_branches;  // streams of the recording that are not joined to the compute stream, and the
                                   // compute stream itself
    std::vector<std::unique_ptr<Stream>> m_streams;
    std::vector<std::unique_ptr<Event>> m_events;
    std::set<void*> m_memory;
    std::map<const void*, std::size_t> m_sizes;
};

}  // namespace ringside::testing
