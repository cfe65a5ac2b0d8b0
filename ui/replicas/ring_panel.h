// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <utility>
#include <vector>

#include "replicas/ring_picture.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Panel with the ring all-reduce of a training step with recorded gradients: a picture, a sentence, and buttons and
// keys that select a step of the ring. Compares the result of the ring with the result of the run's own all-reduce.
class RingPanel final : public QWidget {
    Q_OBJECT
  public:
    explicit RingPanel(const Theme& theme, QWidget* parent = nullptr);

    // Shows the ring all-reduce of the gradients of `step`. ranks: ranks of one data-parallel group.
    void show(const InspectedStep& step, const std::vector<int>& ranks, const RunData& run);
    // Selects another step of the ring; by: -1 for the previous step, 1 for the next step.
    void moveBy(int by);
    RingPicture& picture() const { return *m_ring; }

  private:
    QPushButton* addButton(const QString& text, const QString& tip, const char* name);
    void compare(const GradientView* mean);
    void showSentence();
    QString sentenceOf(int step) const;
    bool differs() const;
    QString comparisonWithRun() const;

    RingPicture* m_ring = nullptr;
    QPushButton *m_back = nullptr, *m_next = nullptr;
    QLabel* m_text = nullptr;
    bool m_divides = true;  // true if gradients are divided by the number of ranks
    // True for FSDP: the text after the reduce-scatter steps then states that FSDP ends the reduction there.
    bool m_scatters = false;
    bool m_isAlone = false;  // true if the run has only one rank
    std::pair<std::int64_t, int> m_shown{
        -1, -1};           // training step and lowest rank of the group that the ring shows; -1: none yet
    double m_largest = 0;  // largest magnitude in the result of the run's all-reduce
    // largest difference between the values of the ring's result and of the run's all-reduce; -1: unknown
    double m_error = -1;
};

}  // namespace ringside
