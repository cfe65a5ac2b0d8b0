// SPDX-License-Identifier: Apache-2.0
#include "run/record/telemetry_record.h"

#include <map>
#include <sstream>

#include "base/system/files.h"
#include "run/record/metrics_record.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

constexpr std::size_t kMaxFile = 1U << 30;

StepsFrame stepsOf(int rank, std::int64_t first, std::int64_t last) {
    StepsFrame frame;
    frame.rank = rank;
    for (std::int64_t step = first; step <= last; ++step) {
        frame.step.push_back(step);
        frame.loss.push_back(static_cast<double>(step) + rank);
        frame.samples.push_back(8);
        frame.endUs.push_back(step);
    }
    return frame;
}

std::string lineOf(const Event& event) {
    std::string line = encode(event);
    line.pop_back();
    return line;
}

template <class E>
std::vector<E> eventsIn(const std::filesystem::path& file) {
    std::vector<E> events;
    std::istringstream text(readFile(file, kMaxFile).value());
    for (std::string line; std::getline(text, line);) {
        const Event event = decodeLine(line).value();
        if (const auto* one = std::get_if<E>(&event)) events.push_back(*one);
    }
    return events;
}

struct Recorded {
    TemporaryDirectory directory;
    RecordBudget budget;
    EpochGate epochs;
    TelemetryRecord record;

    explicit Recorded(const TelemetryConfig& limits, std::int64_t plannedEpochs = 1)
        : budget(limits),
          epochs(budget, 2, plannedEpochs),
          record(directory.path() / "telemetry.jsonl", budget, epochs, {.worldSize = 2}) {}

    void add(const Event& event) { record.add(event, lineOf(event)); }
    void flush(std::int64_t nowUs) {
        budget.advance(nowUs);
        record.flush(nowUs);
    }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(std::filesystem::file_size(directory.path() / "telemetry.jsonl"));
    }
    template <class E>
    std::vector<E> events() const {
        return eventsIn<E>(directory.path() / "telemetry.jsonl");
    }
};

}  // namespace

TEST_CASE("the lines of a short run are written unchanged") {
    Recorded run({});
    const StepsFrame frame = stepsOf(1, 1, 100);
    run.add(frame);
    run.record.finish();
    run.flush(1);
    CHECK(readFile(run.directory.path() / "telemetry.jsonl", kMaxFile).value() == encode(frame));
    CHECK_FALSE(run.record.thinnedFrom());
}

TEST_CASE("a line at a window boundary is split, and every step of a long run is in one entry") {
    Recorded run({});
    for (std::int64_t first = 1; first <= 100'000; first += 1000) {
        for (int rank = 0; rank < 2; ++rank) run.add(stepsOf(rank, first, first + 999));
        run.flush(first);
    }
    run.record.finish();
    run.flush(100'000);
    CHECK(run.record.thinnedFrom() == 32769);
    std::map<int, std::int64_t> last;
    std::map<int, double> sums;
    for (const StepsFrame& frame : run.events<StepsFrame>()) {
        for (std::size_t i = 0; i < frame.step.size(); ++i) {
            const std::int64_t from = frame.isThinned() ? frame.from[i] : frame.step[i];
            REQUIRE(from == last[frame.rank] + 1);
            last[frame.rank] = frame.step[i];
            sums[frame.rank] += frame.loss[i] * static_cast<double>(frame.step[i] - from + 1);
        }
    }
    CHECK(last[0] == 100'000);
    CHECK(sums[0] == Approx(100'000.0 * 100'001 / 2));
    CHECK(sums[1] == Approx(100'000.0 * 100'003 / 2));
}

TEST_CASE("a run of millions of steps with a small budget stays within its limits") {
    Recorded run({.megabytesPerHour = 1, .megabytesTotal = 4});
    constexpr std::int64_t kSteps = 1'000'000;
    for (std::int64_t first = 1; first <= kSteps; first += 1000) {
        for (int rank = 0; rank < 2; ++rank) run.add(stepsOf(rank, first, first + 999));
        run.flush(first * 30);
    }
    run.record.finish();
    run.flush(kSteps * 30);
    // Half of an hour's budget may be used at once; the limit also contains the share of the elapsed time.
    CHECK(run.bytes() < 500'000);
    RunStarted start;
    start.worldSize = 2;
    RunData data;
    data.apply(start);
    for (const StepsFrame& frame : run.events<StepsFrame>()) data.apply(frame);
    // Both ranks were thinned equally, so a viewer finds the steps of both.
    std::int64_t steps = 0;
    for (const SeriesPoint& point : data.curves().loss().points()) steps += point.count;
    CHECK(steps > kSteps * 9 / 10);
    CHECK(data.curves().loss().points().back().step > kSteps * 9 / 10);
}

TEST_CASE("checks of shards and replicas are complete, or skipped for complete epochs and all ranks") {
    Recorded plenty({}, 2000);
    Recorded little({.megabytesPerHour = 1, .megabytesTotal = 4}, 2000);
    for (Recorded* run : {&plenty, &little}) {
        for (std::int64_t epoch = 0; epoch < 2000; ++epoch) {
            run->add(EpochResult{.epoch = epoch, .split = SplitKind::kTrain});
            for (int rank = 0; rank < 2; ++rank) {
                run->add(Consumed{rank, epoch, 8, std::string(64, 'a')});
                run->add(Replica{rank, 8 * epoch, std::string(64, 'b')});
            }
            run->flush(1000 * epoch);
        }
    }
    CHECK(plenty.events<Consumed>().size() == 4000);
    CHECK(plenty.events<Replica>().size() == 4000);
    const auto checks = little.events<Consumed>();
    CHECK(little.bytes() < 500'000);
    CHECK(checks.size() > 100);
    CHECK(checks.size() < 4000);
    std::map<std::int64_t, int> ranks;
    for (const Consumed& one : checks) ++ranks[one.epoch];
    for (const auto& [epoch, count] : ranks) CHECK(count == 2);
    CHECK(little.events<EpochResult>().size() == ranks.size());
    CHECK(little.events<Replica>().size() == checks.size());
    CHECK(ranks.contains(1999));  // the last planned epoch
}

TEST_CASE("with a small budget the latest state of every rank is written less often") {
    Recorded run({.megabytesPerHour = 1, .megabytesTotal = 4});
    for (std::int64_t second = 0; second < 3000; ++second) {
        for (int rank = 0; rank < 2; ++rank) {
            Heartbeat beat;
            beat.rank = rank;
            beat.step = second;
            beat.timeUs = 1'000'000 * second;
            run.add(beat);
        }
        run.flush(1'000'000 * second);
    }
    std::map<int, int> count;
    std::map<int, std::int64_t> last;
    for (const Heartbeat& beat : run.events<Heartbeat>()) {
        ++count[beat.rank];
        last[beat.rank] = beat.step;
    }
    CHECK(count[0] > 100);
    CHECK(count[0] < 3000);
    CHECK(std::abs(count[0] - count[1]) <= 1);
    CHECK(last[0] > 2800);
    CHECK(last[1] > 2800);
}

TEST_CASE("thinned steps of metrics.jsonl contain their range, and single steps are unchanged") {
    const TemporaryDirectory directory;
    RecordBudget budget({});
    EpochGate epochs(budget, 1, 1);
    MetricsRecord record(directory.path() / "metrics.jsonl", budget, epochs, {});
    for (std::int64_t step = 1; step <= 32'774; ++step) {
        GlobalStep one;
        one.step = step;
        one.loss = static_cast<double>(step % 4);
        one.accuracy = 0.5;
        one.learningRate = 0.1;
        one.samples = 32;
        record.add(one);
    }
    record.finish();
    record.flush();
    std::istringstream text(readFile(directory.path() / "metrics.jsonl", kMaxFile).value());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    REQUIRE(lines.size() == 32'770);
    CHECK(lines[32'767] == R"({"kind":"step","step":32768,"epoch":0,"loss":0,"accuracy":0.5,"lr":0.1,"samples":32})");
    CHECK(lines[32'768] ==
          R"({"kind":"step","step":32772,"epoch":0,"loss":1.5,"accuracy":0.5,"lr":0.1,"samples":128,)"
          R"("from":32769,"steps":4,"loss_min":0,"loss_max":3,"accuracy_min":0.5,"accuracy_max":0.5})");
    CHECK(lines[32'769] ==
          R"({"kind":"step","step":32774,"epoch":0,"loss":1.5,"accuracy":0.5,"lr":0.1,"samples":64,)"
          R"("from":32773,"steps":2,"loss_min":1,"loss_max":2,"accuracy_min":0.5,"accuracy_max":0.5})");
    CHECK(record.thinnedFrom() == 32'769);
}

TEST_CASE("thinned steps without numbers of samples count equally") {
    const TemporaryDirectory directory;
    RecordBudget budget({});
    EpochGate epochs(budget, 1, 1);
    MetricsRecord record(directory.path() / "metrics.jsonl", budget, epochs, {});
    for (std::int64_t step = 1; step <= 32'772; ++step) {
        GlobalStep one;
        one.step = step;
        one.loss = static_cast<double>(step % 4);
        one.accuracy = std::numeric_limits<double>::quiet_NaN();
        record.add(one);
    }
    record.finish();
    record.flush();
    const std::string text = readFile(directory.path() / "metrics.jsonl", kMaxFile).value();
    CHECK(text.find(R"({"kind":"step","step":32772,"epoch":0,"loss":1.5,"accuracy":null)") != std::string::npos);
}

TEST_CASE("logged scalars of rank 0 are recorded in metrics.jsonl") {
    const TemporaryDirectory directory;
    RecordBudget budget({});
    EpochGate epochs(budget, 2, 1);
    MetricsRecord record(directory.path() / "metrics.jsonl", budget, epochs, {});
    record.add(LoggedScalar{0, "a \"quoted\" tag", 7, 0.25, "tensorboard", 9});
    record.add(LoggedScalar{1, "rank 1", 7, 0.5, "tensorboard", 9});
    record.add(LoggedScalar{0, "b", 8, std::numeric_limits<double>::quiet_NaN(), "", 9});
    record.flush();
    CHECK(readFile(directory.path() / "metrics.jsonl", kMaxFile).value() ==
          "{\"kind\":\"logged\",\"tag\":\"a \\\"quoted\\\" tag\",\"step\":7,\"value\":0.25}\n"
          "{\"kind\":\"logged\",\"tag\":\"b\",\"step\":8,\"value\":null}\n");
}

TEST_CASE("an epoch's result is recorded with its last step, in either order of arrival") {
    const TemporaryDirectory directory;
    RecordBudget budget({});
    EpochGate epochs(budget, 1, 3);
    MetricsRecord record(directory.path() / "metrics.jsonl", budget, epochs, {});
    const auto step = [](std::int64_t number, std::int64_t epoch) {
        GlobalStep one;
        one.step = number;
        one.epoch = epoch;
        return one;
    };
    record.add(step(1, 0));
    EpochResult trained;
    trained.split = SplitKind::kTrain;
    trained.step = 2;
    record.add(trained);
    record.add(step(2, 0));
    record.flush();  // if the process is killed now, both lines of steps are in the file
    std::istringstream text(readFile(directory.path() / "metrics.jsonl", kMaxFile).value());
    std::vector<std::string> kinds;
    for (std::string line; std::getline(text, line);) kinds.push_back(line.substr(9, 4));
    CHECK(kinds == std::vector<std::string>{"step", "step", "epoc"});
}

// Records the gradients of one step per second on two ranks, as slow motion does.
void addSlowSteps(Recorded& recorded, std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            GradientView view{.rank = rank, .step = step, .moment = GradientMoment::kOwn, .norm = 2};
            view.names = {"w"};
            view.rows = {50};
            view.columns = {50};
            view.cells.assign(2500, 0.12345678);
            view.tensorNorms = {2};
            view.timeUs = step * 1'000'000;
            recorded.add(view);
        }
        recorded.flush(step * 1'000'000);
    }
}

TEST_CASE("gradients that a user requests are recorded after a long slow motion") {
    const auto hasCells = [](Recorded& recorded, std::int64_t step) {
        std::vector<bool> whole;
        for (const GradientView& one : recorded.events<GradientView>())
            if (one.step == step) whole.push_back(!one.cells.empty());
        return whole;
    };
    Recorded recorded({.megabytesPerHour = 20, .megabytesTotal = 100});
    addSlowSteps(recorded, 1, 202);
    recorded.add(Controlled{.command = ControlKind::kReplicas, .value = 1, .step = 202});
    addSlowSteps(recorded, 203, 210);
    CHECK(hasCells(recorded, 202) == std::vector{false, false});
    CHECK(hasCells(recorded, 203) == std::vector{true, true});
    CHECK(hasCells(recorded, 206) == std::vector{false, false});
}

TEST_CASE("gradients of a long slow motion keep their norms, and cells only of complete steps") {
    Recorded recorded({.megabytesPerHour = 20, .megabytesTotal = 100});
    addSlowSteps(recorded, 1, 300);
    std::map<std::int64_t, std::vector<bool>> whole;
    for (const GradientView& one : recorded.events<GradientView>()) whole[one.step].push_back(!one.cells.empty());
    CHECK(whole.size() == 300);
    std::int64_t seen = 0, late = 0;
    for (const auto& [step, ranks] : whole) {
        REQUIRE(ranks.size() == 2);
        CHECK(ranks[0] == ranks[1]);
        seen += ranks[0];
        late += ranks[0] && step > 50;
    }
    CHECK(seen >= 5);
    CHECK(seen < 60);
    CHECK(late >= 1);  // the first steps have not used up the budget of later steps
}
