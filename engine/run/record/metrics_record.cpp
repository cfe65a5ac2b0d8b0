// SPDX-License-Identifier: Apache-2.0
#include "run/record/metrics_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json/json_members.h"
#include "base/text/number_writer.h"

namespace ringside {
namespace {

void writeMetrics(NumberWriter& line, double loss, double accuracy, std::int64_t samples) {
    line.text(R"("loss":)").number(loss).text(R"(,"accuracy":)").number(accuracy);
    line.text(R"(,"samples":)").number(samples);
}

void writeMetrics(NumberWriter& line, const EpochResult& result, bool padded) {
    if (padded) return writeMetrics(line, result.lossPadded, result.accuracyPadded, result.samplesPadded);
    writeMetrics(line, result.loss, result.accuracy, result.samples);
}

// Returns the line with an epoch's result: the main numbers first; then, for a validation, the results with and without
// the samples repeated by the sampler.
std::string epochLine(const EpochResult& result, bool padded) {
    const bool validates = result.split == SplitKind::kValidation;
    NumberWriter line;
    line.text(R"({"kind":"epoch","epoch":)").number(result.epoch);
    line.text(R"(,"split":")").text(nameOf(result.split)).text("\",");
    writeMetrics(line, result, padded && validates);
    if (validates) {
        writeMetrics(line.text(R"(,"exact":{)"), result, false);
        writeMetrics(line.text(R"(},"padded":{)"), result, true);
        line.character('}');
    }
    if (result.nonFiniteBatches > 0) line.text(R"(,"non_finite_batches":)").number(result.nonFiniteBatches);
    return line.text("}\n").take();
}

void writePlace(NumberWriter& line, const GlobalStep& step) {
    line.text(R"({"kind":"step","step":)").number(step.step).text(R"(,"epoch":)").number(step.epoch);
}

// Extends a range so that it contains the value. NaN does not change the range.
void widen(double& minimum, double& maximum, double value) {
    if (value < minimum || std::isnan(minimum)) minimum = value;
    if (value > maximum || std::isnan(maximum)) maximum = value;
}

}  // namespace

MetricsRecord::MetricsRecord(const std::filesystem::path& path, RecordBudget& budget, EpochGate& epochs,
                             const Options& options)
    : m_file(path),
      m_budget(budget),
      m_epochs(epochs),
      m_options(options),
      m_grain(options.stepsBefore, options.logEvery) {}

void MetricsRecord::add(const GlobalStep& step) {
    m_lastStep = step.step;
    if (m_open && step.step > m_open->window.last) close();
    writeEpochsUpTo(step.step - 1);
    if (!m_open && m_grain.isSingle(step.step)) {
        writeStep(step);
    } else {
        gather(step);
        if (step.step == m_open->window.last) close();
    }
    // If no window of steps is open, writes the results of epochs at once, without waiting for the next step: a run
    // that resumes from a checkpoint at this step finds the results in the file.
    if (!m_open) writeEpochsUpTo(step.step);
}

void MetricsRecord::writeStep(const GlobalStep& step) {
    NumberWriter line;
    writePlace(line, step);
    line.text(R"(,"loss":)").number(step.loss).text(R"(,"accuracy":)").number(step.accuracy);
    line.text(R"(,"lr":)").number(step.learningRate).text(R"(,"samples":)").number(step.samples);
    write(line.text("}\n").take());
}

void MetricsRecord::gather(const GlobalStep& step) {
    if (!m_open) {
        Open& one = m_open.emplace();
        one.window = m_grain.windowOf(step.step);
        one.lossMinimum = one.lossMaximum = one.accuracyMinimum = one.accuracyMaximum =
            std::numeric_limits<double>::quiet_NaN();
        if (!m_thinnedFrom) m_thinnedFrom = one.window.first;
    }
    Open& one = *m_open;
    one.last = step;
    ++one.steps;
    one.samples += step.samples;
    one.lossSum += step.loss * static_cast<double>(step.samples);
    one.plainLossSum += step.loss;
    one.accuracySum += step.accuracy * static_cast<double>(step.samples);
    widen(one.lossMinimum, one.lossMaximum, step.loss);
    widen(one.accuracyMinimum, one.accuracyMaximum, step.accuracy);
}

// Writes the current window of steps as one line: means over the samples, total number of samples, first step, number
// of steps, and the ranges of loss and accuracy.
void MetricsRecord::close() {
    const Open one = *m_open;
    m_open.reset();
    GlobalStep end = one.last;
    end.step = std::max(one.last.step, std::min(one.window.last, m_lastStep));
    const auto samples = static_cast<double>(one.samples);
    NumberWriter line;
    writePlace(line, end);
    // If the numbers of samples are not known, as for a watched script without a DataLoader, each step has the same
    // weight.
    const double loss = one.samples > 0 ? one.lossSum / samples : one.plainLossSum / static_cast<double>(one.steps);
    line.text(R"(,"loss":)").number(loss).text(R"(,"accuracy":)").number(one.accuracySum / samples);
    line.text(R"(,"lr":)").number(end.learningRate).text(R"(,"samples":)").number(one.samples);
    line.text(R"(,"from":)").number(one.window.first).text(R"(,"steps":)").number(one.steps);
    line.text(R"(,"loss_min":)").number(one.lossMinimum).text(R"(,"loss_max":)").number(one.lossMaximum);
    line.text(R"(,"accuracy_min":)").number(one.accuracyMinimum);
    line.text(R"(,"accuracy_max":)").number(one.accuracyMaximum);
    write(line.text("}\n").take());
}

void MetricsRecord::add(const EpochResult& result) {
    if (!m_epochs.isRecorded(result.epoch)) return;
    m_waitingEpochs.push_back(result);
}

void MetricsRecord::add(const Controlled& command) {
    NumberWriter line;
    line.text(R"({"kind":"control","command":")").text(nameOf(command.command));
    line.text(R"(","value":)").number(command.value).text(R"(,"step":)").number(command.step);
    line.text(R"(,"epoch":)").number(command.epoch).text(R"(,"time_us":)").number(command.timeUs);
    write(line.text("}\n").take());
}

void MetricsRecord::add(const LoggedScalar& scalar) {
    if (scalar.rank != 0) return;
    NumberWriter line;
    line.text(R"({"kind":"logged","tag":)").text(jsonText(Json(scalar.tag)));
    line.text(R"(,"step":)").number(scalar.step).text(R"(,"value":)").number(scalar.value);
    write(line.text("}\n").take());
}

// Writes the pending results of all epochs that end at `step` or earlier.
void MetricsRecord::writeEpochsUpTo(std::int64_t step) {
    while (!m_waitingEpochs.empty() && m_waitingEpochs.front().step <= step) {
        m_file.add(epochLine(m_waitingEpochs.front(), m_options.paddedFirst));
        m_waitingEpochs.pop_front();
    }
}

void MetricsRecord::finish() {
    if (m_open) close();
    writeEpochsUpTo(std::numeric_limits<std::int64_t>::max());
}

void MetricsRecord::flush() {
    const int halvings = m_budget.halvings(RecordKind::kMetrics);
    if (halvings != m_halvings) {
        m_halvings = halvings;
        m_grain.widen(m_open ? m_open->window.last : m_grain.windowOf(std::max<std::int64_t>(m_lastStep, 1)).last,
                      halvings);
    }
    m_file.flush();
}

void MetricsRecord::write(const std::string& line) {
    if (m_budget.spend(RecordKind::kMetrics, line.size())) m_file.add(line);
}

}  // namespace ringside
