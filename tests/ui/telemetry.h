// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/run_model.h"
#include "telemetry/events/codec.h"

struct FakeRunSettings {
    int ranks = 2;
    std::int64_t stepsBefore = 0;
    std::string config = {};  // as RunConfig::toText() writes it
};

// Telemetry of a run: the loss of each rank is 1 higher than that of the previous one.
class FakeRun {
  public:
    explicit FakeRun(ringside::RunModel& model, const FakeRunSettings& settings = {})
        : m_model(model), m_ranks(settings.ranks), m_done(settings.stepsBefore) {
        ringside::RunStarted started;
        started.worldSize = m_ranks;
        started.trainingSamples = 16;
        started.stepsPerEpoch = 2;
        started.epochs = 100'000;
        started.batchSize = 4;
        started.stepsBefore = m_done;
        started.config = settings.config;
        feed(started);
    }
    void feed(const ringside::Event& event) { m_model.feed(QByteArray::fromStdString(encode(event))); }
    void steps(int count) {
        for (int rank = 0; rank < m_ranks; ++rank) {
            ringside::StepsFrame frame;
            frame.rank = rank;
            for (int at = 0; at < count; ++at) {
                const std::int64_t step = m_done + at + 1;
                frame.step.push_back(step);
                frame.loss.push_back(1.0 + rank + (step % 2 == 0 ? 0.5 : 0.0));
                frame.correct.push_back(2 + rank);
                frame.samples.push_back(4);
                frame.endUs.push_back(step * 1000);
                frame.gradientNorm.push_back(3);
            }
            frame.epoch = m_done / 2;
            feed(frame);
        }
        m_done += count;
    }
    void validation(std::int64_t epoch, double loss) {
        ringside::EpochResult result;
        result.epoch = epoch;
        result.split = ringside::SplitKind::kValidation;
        result.loss = loss;
        result.accuracy = 0.5;
        result.samples = 8;
        result.step = (epoch + 1) * 2;
        feed(result);
    }

  private:
    ringside::RunModel& m_model;
    int m_ranks;
    std::int64_t m_done;
};
