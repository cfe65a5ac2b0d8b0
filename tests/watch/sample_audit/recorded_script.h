// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "telemetry/events/events.h"
#include "watch/audit/sample_audit.h"

namespace ringside::testing {

using Indices = std::vector<std::int64_t>;

// Events of a watched script, as its ranks would report them.
struct RecordedScript {
    std::vector<Event> events{};

    void fact(int rank, const std::string& about, const Json& facts) {
        events.emplace_back(ScriptFacts{rank, about, facts.dump(), 0});
    }
    void process(int rank, int worldSize) { fact(rank, "process", {{"world_size", worldSize}}); }
    void loader(int rank, int id, const Json& dataset, const Json& more = Json::object()) {
        Json facts = {{"id", id}, {"where", "train.py:" + std::to_string(10 + id)}, {"dataset", dataset}};
        facts.update(more);
        fact(rank, "loader", facts);
    }
    void subset(int rank, int object, const Indices& index) {
        fact(rank, "subset", {{"object", object}, {"first", 0}, {"index", index}});
    }
    void trained(int rank, int loader, std::int64_t epoch, const Indices& index, std::int64_t slot = 0) {
        events.emplace_back(ConsumedIndices{rank, epoch, 1, slot, index, loader});
    }
    void evaluated(int rank, int loader, std::int64_t pass, std::int64_t batch, const Indices& index) {
        fact(rank, "batch",
             {{"loader", loader}, {"pass", pass}, {"batch", batch}, {"samples", index.size()}, {"index", index}});
    }
    void pass(int rank, int loader, std::int64_t number, std::int64_t samplerEpoch) {
        fact(rank, "pass", {{"loader", loader}, {"pass", number}, {"sampler_epoch", samplerEpoch}});
    }
    void passEnd(int rank, int loader, std::int64_t pass, std::optional<std::int64_t> epoch, std::size_t indices,
                 bool exhausted = true) {
        fact(rank, "pass_end",
             {{"loader", loader},
              {"pass", pass},
              {"why", exhausted ? "exhausted" : "left"},
              {"batches", 1},
              {"trained", epoch ? 1 : 0},
              {"untrained", epoch ? 0 : 1},
              {"epoch", epoch ? Json(*epoch) : Json(nullptr)},
              {"indices", indices}});
    }
    // One epoch of one rank, trained in one batch.
    void epoch(int rank, int loader, std::int64_t number, const Indices& index, bool exhausted = true) {
        if (!index.empty()) trained(rank, loader, number, index);
        passEnd(rank, loader, number, number, index.size(), exhausted);
    }
};

inline Json listOf(std::int64_t length, int object = 0, const Json& more = Json::object()) {
    Json facts = {{"class", "data.Rows"}, {"object", object}, {"length", length}};
    facts.update(more);
    return facts;
}

// Returns a script of `ranks` ranks with one loader over the same data set.
inline RecordedScript scriptWithRanks(int ranks, std::int64_t length, const Json& more = Json::object()) {
    RecordedScript script;
    for (int rank = 0; rank < ranks; ++rank) {
        script.process(rank, ranks);
        script.loader(rank, 0, listOf(length), more);
    }
    return script;
}

inline Json subsetOf(std::int64_t length, int object, const Json& inner) {
    return {{"class", "torch.utils.data.dataset.Subset"},
            {"object", object},
            {"length", length},
            {"indices_sha256", "of rank " + std::to_string(object)},
            {"inner", inner}};
}

inline SampleAudit auditOf(const std::vector<RecordedScript>& runs) {
    std::vector<RecordedFacts> facts;
    for (const RecordedScript& run : runs) {
        facts.emplace_back();
        for (const Event& event : run.events) facts.back().add(event);
    }
    SampleAuditor auditor(std::move(facts));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const Event& event : runs[i].events) auditor.add(i, event);
    }
    return auditor.finish();
}

}  // namespace ringside::testing
