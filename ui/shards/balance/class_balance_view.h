// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "controls/latest_work.h"
#include "shards/balance/scene_balance.h"

namespace ringside {

class Theme;

// Class by rank as small bars over a grey band that holds 95 % of random deals. Hidden where there are no classes.
class ClassBalanceView : public QWidget {
    Q_OBJECT
  public:
    static constexpr int kLargestRows = 8;      // more ranks: those farthest from chance
    static constexpr int kLargestClasses = 24;  // more classes: only the sentence

    explicit ClassBalanceView(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    QString sentence() const;              // how many classes of all ranks lie outside the band
    QString rankSentence(int rank) const;  // whether one rank is within chance, all its classes together
    bool isUnusual() const;
    QString ranksSentence() const;  // how many ranks are
    const ClassBalance& balance() const { return m_made->balance; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Made {
        ClassBalance balance;
        std::vector<int> rows = {};  // ranks shown
        double scale = 1;            // largest count or band
        int outside = 0;             // counts
        int within = 0;              // ranks
    };
    using MadeRef = std::shared_ptr<const Made>;
    static MadeRef made(const ShardScene& scene, const LatestWork::Stop& stop);
    static std::vector<int> farthestRanks(const ClassBalance& balance);
    void count();
    void setMade(MadeRef made);
    QRectF cell(int row, int label) const;
    QString tip(QPointF point) const;
    void drawBar(QPainter& painter, int row, int label) const;

    Theme& m_theme;
    MadeRef m_made = std::make_shared<Made>();
    std::optional<ShardScene> m_wanted;
    QTimer m_pause;  // the picture comes first, and many epochs may pass by
    LatestWork m_work;
};

}  // namespace ringside
