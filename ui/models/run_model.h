// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <optional>

#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

namespace ringside {

// A run that was asked for and has said nothing yet.
struct ExpectedRun {
    std::int64_t ranks = 0;
    QString name;
};

// RunData for the views: bytes in, one changed() at most every 40 ms with everything that changed since the last.
class RunModel : public QObject {
    Q_OBJECT
  public:
    explicit RunModel(QObject* parent = nullptr);

    const RunData& data() const { return m_data; }
    void reset();  // a new or another run: forgets everything but what is expected, tells restarted()
    // From now until its first line nothing of the run before should be in sight, though it comes back when the new one
    // is refused.
    void expect(const ExpectedRun& run);
    void expectNothing();
    const std::optional<ExpectedRun>& expected() const { return m_expected; }
    // True if the form was changed after this run was started: then nothing about the run describes the form.
    bool formDiffers() const { return m_formDiffers; }
    void setFormDiffers(bool differs);
    // Telemetry lines in any chunking. Decoded in slices between other events, so that a long replay never blocks.
    void feed(const QByteArray& bytes);
    bool isDrained() const { return m_queue.isEmpty(); }

  Q_SIGNALS:
    void restarted();
    void expectedChanged();
    void formDiffersChanged();
    void drained();                  // everything fed so far has been decoded
    void changed(unsigned changes);  // RunChange bits

  private:
    void decodeSlice();

    Decoder m_decoder;
    RunData m_data;
    std::optional<ExpectedRun> m_expected;
    bool m_formDiffers = false;
    QList<QByteArray> m_queue;
    qsizetype m_taken = 0;  // bytes of the first chunk already decoded
    QTimer m_slice;
    QTimer m_tick;
    unsigned m_pending = 0;
    std::size_t m_ranksShown = 0;
};

}  // namespace ringside
