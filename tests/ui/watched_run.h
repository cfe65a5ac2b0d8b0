// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <fstream>
#include <sstream>
#include <string>

#include "config/run_config.h"
#include "fake_run.h"
#include "run/read/run_directory.h"
#include "run/read/run_summary.h"
#include "telemetry/events/codec.h"

// Run of a watched script, performed by fake_ringsidectl.sh: three ranks that were recorded under PyTorch 2.15 with
// DistributedSampler (tests/watch/plan/recorded), with two findings, one of which is reported twice, and six checks.
struct WatchedRunFiles {
    explicit WatchedRunFiles(FakeRun& fake) : m_fake(fake) {
        ringside::RunConfig config;
        config.name = "train";
        config.dataset.kind = ringside::DatasetKind::kExternal;
        config.dataset.size = 100;
        config.parallel.worldSize = 3;
        ringside::RunStarted started;
        started.name = "train";
        started.worldSize = 3;
        started.stepsPerEpoch = 5;
        started.config = config.toText();
        std::string lines = ringside::encode(started) + recorded();
        lines += ringside::encode(ringside::Finding{.code = "effective-batch",
                                                    .severity = ringside::Severity::kNote,
                                                    .text = "One step sees 60 samples.",
                                                    .where = "elsewhere.py:3",
                                                    .evidence = "{\"ranks\":3}",
                                                    .remedy = "Choose the learning rate for it."});
        ringside::Finding order{.code = "set-epoch-missing",
                                .severity = ringside::Severity::kMistake,
                                .text = "Rank 0 trains on the same order in epochs 1 and 2.",
                                .where = "train.py:2",
                                .evidence = "{\"equal_indices\":32}",
                                .remedy = "Call sampler.set_epoch(epoch)."};
        lines += ringside::encode(order);
        order.evidence = "{\"equal_indices\":320}";
        lines += ringside::encode(order);
        fake.write("start.jsonl", lines);
        fake.write("config.json", config.toText());
        ringside::RunSummary summary;
        summary.source = "watched";
        summary.checks = {{"sampler-rank", "passed", ""},
                          {"sampler-seed", "passed", ""},
                          {"loss-not-finite", "passed", ""},
                          {"hang", "skipped", "the run was too short"},
                          {"loader-slow", "skipped", "the run was too short"},
                          {"straggler", "could_not_judge", "one rank only"}};
        fake.write("summary.json", ringside::toJson(summary).dump());
        fake.write("train.py", "import torch\n");
        fake.write("launch.json", ringside::Json{{"command", {"/usr/bin/python3", "train.py", "--epochs", "2 or 3"}},
                                                 {"working_directory", fake.folder.path().toStdString()}}
                                      .dump());
    }
    QString directory() const { return m_fake.folder.path(); }

    // Returns the lines that the ranks have sent.
    static std::string recorded(const std::string& name = "ddp_three_ranks") {
        const std::ifstream file(ringside::sourceFile("tests/watch/plan/recorded/" + name + ".jsonl"));
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }

  private:
    FakeRun& m_fake;
};
