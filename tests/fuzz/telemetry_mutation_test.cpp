// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <random>

#include "support/catch.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"
#include "telemetry/events/plain_line.h"
#include "whatif/step_replay.h"

using namespace ringside;

namespace {

std::string corpus() {
    return R"({"kind":"run","version":1,"name":"n","world_size":2,"steps_per_epoch":12,"epochs":3,"config":{"a":[1]}}
{"kind":"rank","rank":0,"state":"training","device":"CPU 0","pid":7,"time_us":1}
{"kind":"steps","rank":0,"epoch":0,"lr":0.1,"step":[1,2],"loss":[0.5,null],"correct":[3,4],"samples":[8,8],"end_us":[10,20]}
{"kind":"steps","rank":1,"epoch":0,"lr":0.1,"step":[1,2],"loss":[1e-3,2.5],"correct":[3,4],"samples":[8,8],"end_us":[10,20]}
{"kind":"heartbeat","rank":1,"step":2,"epoch":0,"phase":"all-reduce","collective":9,"resident_bytes":4096,"time_us":30}
{"kind":"epoch","epoch":0,"split":"val","loss":0.5,"accuracy":0.9,"samples":360,"step":2,"time_us":40}
{"kind":"consumed","rank":0,"epoch":0,"count":16,"sha256":"00ff"}
{"kind":"indices","rank":0,"epoch":0,"step":1,"slot":0,"index":[5,3,0,2147483646]}
{"kind":"logged","rank":0,"tag":"loss","step":2,"value":0.5,"source":"tensorboard","time_us":41}
{"kind":"script","rank":0,"about":"loader","facts":{"id":0,"sampler":{"seed":0}},"time_us":42}
{"kind":"finding","code":"c","severity":"cost","text":"t","where":"a.py:4","evidence":{"n":[1]},"remedy":"r","time_us":43}
{"kind":"replica","rank":0,"step":2,"hash":"aa"}
{"kind":"trace","rank":0,"epoch":0,"step":1,"begin_ns":100,"length_ns":90,"cpu_ns":50,"queued_ns":-1,"phase":[3,5,6,7],"at_ns":[0,20,30,80],"used_ns":[0,19,20,45],"group":[0],"collective":[1],"of_kind":[0],"bytes":[64],"ready_ns":[18],"arrived_ns":[20],"last_ns":[30],"ended_ns":[80]}
{"kind":"replica","rank":1,"step":2,"hash":"aa"}
{"kind":"run","version":1,"name":"n","world_size":1,"steps_per_epoch":24,"epochs":3,"steps_before":2,"config":{"a":[1]}}
{"kind":"steps","rank":0,"epoch":1,"lr":0.1,"step":[3],"loss":[0.5],"correct":[3],"samples":[8],"end_us":[70]}
{"kind":"log","rank":-1,"level":"info","text":"\u00e9\"\n","time_us":50}
{"kind":"checkpoint","step":2,"path":"checkpoints/step-00000002","time_us":60}
{"kind":"end","state":"finished","exit_code":0,"verdict":"v","last_lines":["x"],"steps":2,"train_seconds":1,"time_us":70}
)";
}

// Returns the text with flipped bits, with cut or doubled pieces, or with pieces of other texts, as broken disks,
// crashed writers and hostile files contain them.
std::string mutated(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % std::max<std::size_t>(n, 1); };
    static const char* const kSnippets[] = {"-1",        "99999999999999999999",
                                            "1e999",     "null",
                                            "[",         "]",
                                            "{",         "\"",
                                            "\xff\xfe",  "\n",
                                            "true",      "4096",
                                            ",",         "\\u0000",
                                            "NaN",       "9007199254740993",
                                            "-0.0",      "\r\n",
                                            "\"kind\"",  ":",
                                            "2147483648"};
    const std::size_t edits = 1 + below(8);
    for (std::size_t i = 0; i < edits && !text.empty(); ++i) {
        const std::size_t at = below(text.size());
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, 1 + below(20));
                break;
            case 2:
                text.insert(at, kSnippets[below(std::size(kSnippets))]);
                break;
            case 3:
                text.insert(at, std::string(text, below(text.size()), below(120)));
                break;
            default: {
                const std::size_t digit = text.find_first_of("0123456789", at);
                if (digit != std::string::npos) text.replace(digit, 1, kSnippets[below(std::size(kSnippets))]);
            }
        }
    }
    return text;
}

void checkMutations(std::mt19937::result_type seed) {
    std::mt19937 random(seed);
    std::int64_t events = 0;
    std::int64_t bad = 0;
    for (int round = 0; round < 5000; ++round) {
        const std::string text = mutated(corpus(), random);
        const std::size_t cut = random() % (text.size() + 1);
        Decoder decoder;
        RunData run;
        const auto take = [&](Event&& event) {
            ++events;
            run.apply(event);
            if (round % 16 == 0) REQUIRE(decodeLine(encode(event)).ok());
        };
        decoder.feed(std::string_view(text).substr(0, cut), take);
        decoder.feed(std::string_view(text).substr(cut), take);
        bad += decoder.badLines();
        REQUIRE(run.ranks().size() <= 4096);
    }
    CHECK(events > 25000);
    CHECK(bad > 2500);
}

}  // namespace

TEST_CASE("the unharmed corpus decodes without a bad line") {
    Decoder decoder;
    RunData run;
    decoder.feed(corpus(), [&](Event&& event) { run.apply(event); });
    CHECK(decoder.badLines() == 0);
    CHECK(run.lastStep()->step == 3);  // two steps with two ranks, one after the run was continued with one rank
    CHECK(run.ended()->state == RunOutcome::kFinished);
}

TEST_CASE("five thousand mutations end in events or counted problems, and events encode again: first seed") {
    checkMutations(20240607);
}

TEST_CASE("five thousand mutations end in events or counted problems, and events encode again: second seed") {
    checkMutations(20240608);
}

TEST_CASE("five thousand mutations end in events or counted problems, and events encode again: third seed") {
    checkMutations(20240609);
}

TEST_CASE("five thousand mutations end in events or counted problems, and events encode again: fourth seed") {
    checkMutations(20240610);
}

TEST_CASE("damaged traces are analysed and simulated in bounded time and memory, or skipped") {
    std::mt19937 random(20261123);
    std::string whole;
    for (int step = 1; step <= 3; ++step)
        for (int rank = 0; rank < 2; ++rank)
            whole += R"({"kind":"trace","rank":)" + std::to_string(rank) + R"(,"epoch":0,"step":)" +
                     std::to_string(step) + R"(,"begin_ns":)" + std::to_string(100 * step) +
                     R"(,"length_ns":90,"cpu_ns":50,"queued_ns":-1,"phase":[3,5,6,7],"at_ns":[0,20,30,80],)"
                     R"("used_ns":[0,19,20,45],"group":[0,0],"collective":[1,2],"of_kind":[0,3],"bytes":[64,1048576],)"
                     R"("ready_ns":[18,19],"arrived_ns":[20,22],"last_ns":[30,31],"ended_ns":[80,81]})" +
                     "\n";
    std::size_t replayed = 0;
    for (int round = 0; round < 3000; ++round) {
        TraceData traces(2);
        Decoder decoder;
        decoder.feed(round == 0 ? whole : mutated(whole, random), [&](Event&& event) {
            if (const auto* trace = std::get_if<StepTrace>(&event)) traces.apply(*trace);
        });
        REQUIRE(traces.steps().size() <= 4 * 6);
        traces.verdict();
        for (const StepChange& change : {StepChange{}, StepChange{.withoutDelayOf = 1, .noOverlap = true},
                                         StepChange{.bucketMiB = 0.01, .worldSize = 5}}) {
            replayed += static_cast<std::size_t>(replaySteps(traces, change).steps);
            REQUIRE(replayedTrace(traces, change, 3).steps().size() <= 3);
        }
    }
    CHECK(replayed > 1000);
}

TEST_CASE("lines accepted by the fast parser give the same result in the general parser") {
    std::mt19937 random(7);
    std::map<std::size_t, std::int64_t> accepted;
    for (
        const std::string line :
        {R"({"kind":"steps","rank":0,"epoch":0,"lr":0.1,"step":[1,2],"loss":[0.5,null],"correct":[3,4],"samples":[8,8],"end_us":[1,2]})",
         R"({"kind":"rank","rank":1,"state":"loading","device":"CPU 0","pid":12,"time_us":7})",
         R"({"kind":"epoch","epoch":1,"split":"val","loss":0.5,"accuracy":null,"samples":9,"step":4,"time_us":-7})",
         R"({"kind":"trace","rank":0,"epoch":0,"step":1,"begin_ns":100,"length_ns":90,"cpu_ns":50,"queued_ns":-1,"phase":[3,5,6,7],"at_ns":[0,20,30,80],"used_ns":[0,19,20,45],"group":[0],"collective":[1],"of_kind":[0],"bytes":[64],"ready_ns":[18],"arrived_ns":[20],"last_ns":[30],"ended_ns":[80]})",
         R"({"kind":"consumed","rank":1,"epoch":2,"count":360,"sha256":"ab01"})",
         R"({"kind":"replica","rank":1,"step":12,"hash":"cd01"})",
         R"({"kind":"indices","rank":1,"epoch":2,"step":25,"slot":32,"index":[88,9]})",
         R"({"kind":"indices","rank":1,"epoch":2,"step":25,"slot":32,"index":[88,9],"loader":3})",
         R"({"kind":"logged","rank":1,"tag":"loss","step":25,"value":0.5,"source":"loss","time_us":3})",
         R"({"kind":"finding","code":"c","severity":"cost","text":"t","where":"a.py:4","remedy":"r","time_us":3})",
         R"({"kind":"heartbeat","rank":1,"step":5,"phase":"data","time_us":6,"gpu_percent":87.5,"gpu_used_bytes":-1})",
         R"({"kind":"log","rank":-1,"level":"info","text":"two words","time_us":3})",
         R"({"kind":"checkpoint","step":120,"path":"checkpoints/step-00000120","time_us":4})"}) {
        for (int round = 0; round < 10000; ++round) {
            const std::string text = mutated(line, random);
            const auto quick = readPlainLine(text);
            if (!quick) continue;
            ++accepted[quick->index()];
            // A blank makes the decoder use the general parser instead of the fast one, without changing the meaning of
            // the line.
            std::string spaced = text;
            spaced.replace(spaced.find(','), 1, " ,");
            const Result<Event> general = decodeLine(spaced);
            INFO(text);
            REQUIRE_FALSE(readPlainLine(spaced));
            REQUIRE(general.ok());
            REQUIRE(encode(general.value()) == encode(*quick));
        }
    }
    CHECK(accepted.size() == 12);
    for (const auto& [kind, count] : accepted) CHECK(count > 20);
}
