// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QWidget>
#include <functional>

#include "sampling/plan/shard_plan.h"

namespace ringside {

class ElidedLabel;

// Returns a box in which the user chooses a sampler, with the labels of the experiment form.
QComboBox* makeSamplerChoice(const QString& accessibleName);

// Form for the settings of a plan, except the data set and the epoch. Common settings are in one row, the other
// settings in a small panel.
class SpecForm : public QWidget {
    Q_OBJECT
  public:
    explicit SpecForm(QWidget* parent = nullptr);

    void setSpec(const ShardSpec& spec, bool setEpoch);  // shows the settings; does not emit changed()
    // Returns the settings of the form for the data set of `base` and for `epoch` (for epoch 0 if set_epoch is off in
    // the form).
    ShardSpec spec(const ShardSpec& base, std::int64_t epoch) const;
    void setSummary(const QString& text, bool problem);  // sets the text at the right end of the row with the common
                                                         // settings

  Q_SIGNALS:
    void changed();         // emitted when the user, and not setSpec(), has changed a setting
    void resetRequested();  // emitted when the user wants the form to follow the settings of A again

  private:
    QSpinBox* addNumber(QLayout& layout, const QString& label, const char* name, int least, int most);
    QCheckBox* addSwitch(QLayout& layout, const QString& label, const char* name);
    QWidget* makeFirstLine();
    QWidget* makeSecondLine();
    void makeMore();
    QSpinBox* addMoreNumber(QFormLayout& form, const QString& label, const char* name, int least, int most);
    QCheckBox* addMoreSwitch(QFormLayout& form, const QString& label, const char* name);
    void openMore();
    void edited();
    void enableWhatApplies();

    bool m_filling = false;
    ShardSpec m_given;  // settings passed to setSpec(); spec() copies from it the settings that the form does not show
    QComboBox* m_kind = nullptr;
    QSpinBox *m_worldSize = nullptr, *m_batchSize = nullptr, *m_seed = nullptr;
    QCheckBox *m_shuffle = nullptr, *m_setEpoch = nullptr, *m_dropLast = nullptr, *m_loaderDropLast = nullptr;
    ElidedLabel* m_summary = nullptr;
    QPushButton* m_moreButton = nullptr;
    QWidget* m_more = nullptr;
    QSpinBox *m_numSamples = nullptr, *m_subsetSeed = nullptr, *m_wrongRank = nullptr, *m_wrongWorldSize = nullptr;
    QDoubleSpinBox* m_subsetFraction = nullptr;
    QLineEdit* m_classWeights = nullptr;
    QCheckBox *m_seedPerRank = nullptr, *m_doubleSharding = nullptr, *m_shuffleWithSampler = nullptr;
};

}  // namespace ringside
