// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace ringside {

class Navigator;
class StepCursor;

// Shows a step of the run on another page, and selects the step in the StepCursor, so that all pages mark it.
class PageLinks final : public QObject {
    Q_OBJECT
  public:
    // Both arguments must outlive this object.
    PageLinks(Navigator& pages, StepCursor& cursor, QObject* parent = nullptr)
        : QObject(parent), m_pages(pages), m_cursor(cursor) {}

    // Shows a rank's part of a step. place: page or view, such as "shards/grid". Steps count from 1, epochs from 0.
    void showStep(const QString& place, qint64 step, qint64 epoch, int rank = 0);

  private:
    Navigator& m_pages;
    StepCursor& m_cursor;
};

}  // namespace ringside
