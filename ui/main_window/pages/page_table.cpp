// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/pages/page_table.h"

#include <algorithm>
#include <array>

#include "main_window/actions/watch_actions.h"
#include "main_window/pages/page_links.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "models/step_cursor.h"
#include "replicas/replicas_page.h"
#include "shards/page/shards_page.h"
#include "strategy/page/strategy_page.h"
#include "timeline/page/timeline_page.h"
#include "training/training_page.h"

namespace ringside {
namespace {

constexpr const char* kGrid = "shards/grid";
constexpr const char* kContribution = "replicas/contribution";

// Returns the epoch (counted from 0) that contains a step (counted from 1 over all epochs) of the shown run.
qint64 epochOf(const RunModel& run, qint64 step) {
    const auto& started = run.data().started();
    return (step - 1) / (started ? std::max<std::int64_t>(started->stepsPerEpoch, 1) : 1);
}

Page* makeShards(const PageContext& in, QWidget* parent) {
    auto* page = new ShardsPage(in.experiment, in.plan, in.run, in.theme, parent);
    QObject::connect(page, &ShardsPage::reportSamplesWanted, &in.controller, &RunController::reportSamplesOnce);
    QObject::connect(&in.cursor, &StepCursor::changed, page, [page, &cursor = in.cursor, &run = in.run] {
        const auto step = cursor.step();
        page->showStep(step, step ? epochOf(run, *step) : 0, {});
    });
    return page;
}

Page* makeTraining(const PageContext& in, QWidget* parent) {
    auto* page = new TrainingPage(in.run, in.theme, parent);
    page->followStep(in.cursor);
    in.watch.addFindings(*page);
    QObject::connect(page, &TrainingPage::stepClicked, &in.links, [&links = in.links, &run = in.run](qint64 step) {
        links.showStep(QLatin1String(kContribution), step, epochOf(run, step));
    });
    return page;
}

Page* makeTimeline(const PageContext& in, QWidget* parent) {
    auto* page = new TimelinePage(in.run, in.cursor, in.theme, in.controlProgram, parent);
    QObject::connect(page, &TimelinePage::recordWanted, &in.controller, [&controller = in.controller](int steps) {
        controller.sendCommand({ControlKind::kRecord, static_cast<double>(steps)});
    });
    QObject::connect(page, &TimelinePage::samplesWanted, &in.links,
                     [&links = in.links](qint64 step, qint64 epoch, int rank) {
                         links.showStep(QLatin1String(kGrid), step, epoch, rank);
                     });
    return page;
}

Page* makeStrategy(const PageContext& in, QWidget* parent) {
    return new StrategyPage(in.experiment, in.run, in.theme, in.controlProgram, parent);
}

Page* makeReplicas(const PageContext& in, QWidget* parent) {
    auto* page = new ReplicasPage(in.run, in.theme, parent);
    QObject::connect(page, &ReplicasPage::inspectionWanted, &in.controller, [&controller = in.controller](int steps) {
        controller.sendCommand({ControlKind::kReplicas, static_cast<double>(steps)});
    });
    QObject::connect(page, &ReplicasPage::samplesWanted, &in.links,
                     [&links = in.links](qint64 step, qint64 epoch, int rank) {
                         links.showStep(QLatin1String(kGrid), step, epoch, rank);
                     });
    return page;
}

constexpr std::array kPages{
    PageRow{"shards", makeShards},     PageRow{"training", makeTraining}, PageRow{"timeline", makeTimeline},
    PageRow{"strategy", makeStrategy}, PageRow{"replicas", makeReplicas},
};

}  // namespace

std::span<const PageRow> pageTable() {
    return kPages;
}

}  // namespace ringside
