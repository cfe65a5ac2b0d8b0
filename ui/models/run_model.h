// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "telemetry/codec.h"
#include "telemetry/run_data.h"

namespace ringside {

// RunData for the views: bytes in, one changed() at most every 40 ms with everything that changed since the last.
class RunModel : public QObject {
    Q_OBJECT
  public:
    explicit RunModel(QObject* parent = nullptr);

    const RunData& data() const { return m_data; }
    void reset();                        // a new or another run: forgets everything, tells restarted()
    void feed(const QByteArray& bytes);  // telemetry lines in any chunking

  Q_SIGNALS:
    void restarted();
    void changed(unsigned changes);  // RunChange bits

  private:
    Decoder m_decoder;
    RunData m_data;
    QTimer m_tick;
    unsigned m_pending = 0;
};

}  // namespace ringside
