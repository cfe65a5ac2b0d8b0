// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/watched_script.h"

#include "models/watch_process.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"
#include "ui/watched_run.h"

using namespace ringside;

namespace {

WatchedScript scriptOf(const std::string& lines) {
    WatchedScript script;
    Decoder decoder;
    decoder.feed(lines, [&](Event&& event) { script.apply(event); });
    return script;
}

QString valueOf(const WatchedScript& script, const char* label) {
    for (const WatchedScript::Fact& fact : script.facts())
        if (fact.label == QLatin1String(label)) return fact.value;
    return {};
}

std::string fact(const char* about, const char* facts) {
    return encode(ScriptFacts{0, about, facts, 0});
}

}  // namespace

TEST_CASE("the facts of a script that ran under PyTorch are those of its lowest rank") {
    const WatchedScript script = scriptOf(WatchedRunFiles::recorded());
    CHECK(script.isWatched());
    // tests/watch/scripts/cnn_torchrun.py: 103 training samples, 3 ranks, batches of 8
    CHECK(valueOf(script, "Data set").endsWith("103 samples"));
    CHECK(valueOf(script, "Sampler") == "DistributedSampler, seed 5, shuffled");
    CHECK(valueOf(script, "Loader") == "batch 8, no workers");
    CHECK(script.batchSize() == 8);
    CHECK(valueOf(script, "Evaluation").endsWith(" samples"));
}

TEST_CASE("versions, model and optimizer are in the user's words") {
    const WatchedScript script = scriptOf(
        fact("process",
             R"({"world_size":2,"script":"train.py","launcher":"torchrun","python":"3.11.2","torch":"2.15.0+cu132"})") +
        fact("process_group_created", R"({"backend":"gloo","where":"train.py:9"})") +
        fact("data_parallel", R"({"kind":"ddp","module":"Net","parameters":3818,"where":"train.py:12"})") +
        fact("buckets", R"({"sizes":"1048576, 1024"})") +
        fact("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD","groups":[{"lr":0.05,"parameters":3818}]})") +
        fact("sees", R"({"unavailable":[{"what":"collectives","why":"inside of a compiled region"}]})"));
    CHECK(script.torch() == "PyTorch 2.15.0");
    CHECK(script.launcher() == "torchrun, 2 ranks");
    CHECK(valueOf(script, "Model") == "Net, 3,818 parameters");
    CHECK(valueOf(script, "Parallel") == QString("DDP, gloo, 2 buckets, 1.0%1MiB").arg(QChar(QChar::Nbsp)));
    CHECK(valueOf(script, "Optimizer") == "SGD, lr 0.05");
    CHECK(valueOf(script, "Not seen") == "collectives");
    CHECK(valueOf(script, "Data set").isEmpty());
}

TEST_CASE("damaged facts are skipped") {
    const WatchedScript script =
        scriptOf(fact("process", "[1, 2]") + fact("loader", R"({"id":"x","dataset":7,"sampler":[]})") +
                 fact("optimizer", R"({"groups":[3]})"));
    CHECK(script.isWatched());
    CHECK(script.torch().isEmpty());
    CHECK_NOTHROW(script.facts());
}

TEST_CASE("a run of Ringside is not a watched run") {
    RunStarted started;
    started.config = RunConfig().toText();
    CHECK_FALSE(scriptOf(encode(started)).isWatched());
}

TEST_CASE("the reason why nothing trained is one sentence") {
    const WatchRequest request{{"/usr/bin/python3", "/x/train.py"}, "/x", "/x/train.py"};
    CHECK(whyNothingTrained(request, "Traceback\nModuleNotFoundError: No module named 'torch'\n") ==
          "/usr/bin/python3 has no PyTorch: choose an interpreter with PyTorch in Run > Watch a script.");
    CHECK(
        whyNothingTrained(request, "Traceback\nKeyError: 'lr'\nringsidectl watch: the command exited with code 1\n") ==
        "train.py ended before its first training step: KeyError: 'lr'");
    CHECK(whyNothingTrained(request, "hello\nringsidectl watch: nothing was recorded: no process connected\n") ==
          "train.py was not watched: nothing was recorded: no process connected");
    CHECK(whyNothingTrained(request, "python3: can't open file '/x/train.py': [Errno 2]\n") ==
          "train.py ended before its first training step: python3: can't open file '/x/train.py': [Errno 2]");
    CHECK(
        whyNothingTrained(request, "").startsWith("train.py ended before its first training step and printed nothing"));
}
