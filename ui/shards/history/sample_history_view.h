// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

#include "controls/latest_work.h"
#include "controls/picture.h"
#include "shards/history/sample_history.h"
#include "shards/history/sample_history_table.h"
#include "shards/scene/shard_view.h"
#include "theme/type_length.h"

namespace ringside {

class Theme;

// Picture with a row for each epoch: position in the epoch, rank, step, slot, and other samples of the batch.
class SampleHistoryCanvas : public Picture {
    Q_OBJECT
  public:
    static constexpr TypePixels kRowHeight{30};

    explicit SampleHistoryCanvas(Theme& theme, QWidget* parent = nullptr);
    void show(const SampleHistory& history, std::int64_t cursor, int ranks);
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  Q_SIGNALS:
    void epochClicked(int epoch);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void drawRow(QPainter& painter, const SampleHistoryEntry& entry, double top) const;
    void drawTrack(QPainter& painter, const SampleHistoryEntry& entry, const QRectF& track) const;
    void drawMates(QPainter& painter, const SampleHistoryEntry& entry, QRectF room) const;
    QRectF matesRoom(double top) const;
    // Returns the sample of the same batch whose number is drawn `at` pixels to the right of the start of the batch's
    // list of numbers; empty if no number is there.
    std::optional<std::int64_t> mateAt(const SampleHistoryEntry& entry, double at) const;

    SampleHistory m_history;
    std::int64_t m_cursor = 0;
    int m_ranks = 1;
};

// View with the selected sample in all epochs; a click selects an epoch.
class SampleHistoryView : public ShardView {
    Q_OBJECT
  public:
    explicit SampleHistoryView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) override;
    std::optional<Explanation> explanation() const override { return m_explanation; }
    bool isSettled() const override { return !m_work.isBusy(); }
    void freeMemory() override;
    qint64 cellsDrawn() const override { return static_cast<qint64>(m_history.entries.size()); }
    const SampleHistory& history() const { return m_history; }
    TableData table() const override { return sampleHistoryTable(m_history); }

  private:
    void updateExplanation();
    void continueComputing();
    void show();
    bool isCurrent(const ShardSpec& spec) const;

    std::optional<ShardScene> m_scene;
    std::optional<qint64> m_sample;
    SampleHistory m_history;
    ShardSpec m_lifeOf;  // settings of the sampler whose history is shown, without the epoch
    SampleHistoryCanvas* m_canvas;
    QScrollArea* m_scroll;
    std::optional<std::int64_t> m_scrolledTo;  // selected epoch to which the view has scrolled
    std::optional<Explanation> m_explanation;
    LatestWork m_work;
};

}  // namespace ringside
