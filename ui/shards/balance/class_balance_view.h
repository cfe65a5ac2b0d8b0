// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "controls/latest_work.h"
#include "controls/picture.h"
#include "identity/text_source.h"
#include "shards/balance/scene_balance.h"

namespace ringside {

class Theme;

// Picture of the number of samples of each class by rank: small bars in front of a grey band. The band contains the
// numbers that 95 % of random assignments give. Hidden if the data set has no classes.
class ClassBalanceView : public Picture, public TextSource {
    Q_OBJECT
  public:
    // maximum number of ranks shown; if there are more ranks, those with the most classes outside the expected range
    // are shown
    static constexpr int kLargestRows = 8;
    // maximum number of classes shown as bars; if there are more classes, only the sentence is shown
    static constexpr int kLargestClasses = 24;

    explicit ClassBalanceView(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    // returns a sentence with the number of class counts outside the expected range, over all ranks
    QString sentence() const;
    // Returns a sentence that states whether the class counts of a rank, taken together, are within the range expected
    // by chance.
    QString rankSentence(int rank) const;
    bool isUnusual() const;
    QString ranksSentence() const;  // returns a sentence with the number of ranks that are within the expected range
    const ClassBalance& balance() const { return m_made->balance; }
    QString copyText() const override;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;
    Tip tipAt(const QPoint& point) const override;

  private:
    struct Made {
        ClassBalance balance;
        std::vector<int> rows = {};  // ranks that are shown
        // number of samples that a bar of full height represents: the largest number or upper limit of a range
        double scale = 1;
        int outside = 0;  // number of class counts outside the range expected by chance
        int within = 0;   // number of ranks within the range expected by chance
    };
    using MadeRef = std::shared_ptr<const Made>;
    static MadeRef countBalance(const ShardScene& scene, const LatestWork::Stop& stop);
    static std::vector<int> farthestRanks(const ClassBalance& balance);
    void startCount();
    void setMade(MadeRef made);
    QRectF cell(int row, int label) const;
    void drawBar(QPainter& painter, int row, int label) const;

    MadeRef m_made = std::make_shared<Made>();
    std::optional<ShardScene> m_wanted;
    QTimer m_pause;  // delays counting until the epoch has not changed for a short time, so that drawing comes first
    LatestWork m_work;
};

}  // namespace ringside
