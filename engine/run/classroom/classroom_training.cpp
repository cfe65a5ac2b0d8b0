// SPDX-License-Identifier: Apache-2.0
#include "run/classroom/classroom_training.h"

#include <utility>

#include "base/errors/errors.h"
#include "base/errors/exit_code.h"
#include "base/time/monotonic.h"
#include "run/prepare/classroom_data.h"
#include "run/prepare/prepared_run.h"
#include "run/prepare/resume_point.h"
#include "run/read/run_directory.h"
#include "run/supervise/launched_run.h"
#include "run/supervise/run_place.h"

namespace ringside {
namespace {

ClassroomOutcome refused(const Problem& problem, ExitCode code) {
    return {RunOutcome::kFailed, problem.text(), static_cast<int>(code)};
}

ClassroomOutcome train(const ClassroomPlan& plan, ClassroomTraining training) {
    RunConfig config = classConfig(plan.experiment.config, training.layout.worldSize);
    config.training.resume = training.resume;
    if (training.restarts > 0) applyLiveChanges(config, training.resume, {});
    LaunchedRun launched;
    launched.runStartUs = monotonicUs();
    Result<PreparedRun> prepared = prepareRun(config, plan.experiment.baseDirectory, nullptr, 1);
    if (!prepared) return refused(prepared.problem(), ExitCode::kBadConfiguration);
    launched.commands = training.restarts > 0
                            ? readLiveCommands(RunPaths(plan.out))
                            : readCommandsToResume(training.resume, prepared.value().config, {}, false);
    Result<RunDirectory> where = openRun(prepared.value().config, plan.out, training.restarts > 0, launched.runStartUs);
    if (!where) return refused(where.problem(), ExitCode::kBadConfiguration);
    launched.layout = std::move(training.layout);
    launched.terms = std::move(training.terms);
    launched.ownToken = true;
    launched.run = std::move(prepared).value();
    launched.worker = plan.worker;
    launched.stopFd = training.stopFd;
    launched.restart = training.restarts;
    launched.hostName = plan.name;
    std::vector<Culprit> culprits;
    launched.onStartFailure = [&culprits](const Culprit& culprit) { culprits.push_back(culprit); };
    launched.log = std::move(training.log);
    launched.onChange = std::move(training.onChange);
    const Result<RunEnded> end = hostLaunchedRun(std::move(launched), std::move(where).value());
    if (!end) {
        ClassroomOutcome outcome = refused(end.problem(), ExitCode::kCommunicationFailed);
        outcome.culprits = std::move(culprits);
        return outcome;
    }
    return {end.value().state, end.value().verdict, end.value().exitCode, end.value().firstFailedRank,
            end.value().isMisuse};
}

}  // namespace

ClassroomOutcome trainClassroom(const ClassroomPlan& plan, ClassroomTraining training) {
    try {
        return train(plan, std::move(training));
    } catch (const Error& error) {
        return {RunOutcome::kFailed, error.what(), static_cast<int>(error.exitCode())};
    }
}

}  // namespace ringside
