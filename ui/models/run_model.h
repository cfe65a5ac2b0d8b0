// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <optional>

#include "models/watched_script.h"
#include "telemetry/data/logged_curves.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

namespace ringside {

// A run that the user has started and that has not sent telemetry yet.
struct ExpectedRun {
    std::int64_t ranks = 0;
    QString name;
    QString script = {};  // name of the script if this is a watched run; empty for runs that Ringside trains
};

// Data of the shown run. Decodes the run's telemetry into RunData, and emits changed() at most every 40 ms with all
// changes since the last emission.
class RunModel : public QObject {
    Q_OBJECT
  public:
    explicit RunModel(QObject* parent = nullptr);

    const RunData& data() const { return m_data; }
    const WatchedScript& watched() const { return m_watched; }
    // Returns the scalars that a watched PyTorch script has logged.
    const LoggedCurves& logged() const { return m_logged; }
    // True if the shown or expected run is that of a watched PyTorch script, which Ringside cannot pause.
    bool isWatched() const { return m_expected ? !m_expected->script.isEmpty() : m_watched.isWatched(); }
    // Directory of the run whose telemetry feed() receives; empty: no run.
    const QString& directory() const { return m_directory; }
    void setDirectory(const QString& directory) { m_directory = directory; }
    void reset();  // clears all data except the expected run and emits restarted(); call before the telemetry of each
                   // new run
    // Sets the run that is starting; views must not show the previous run until the new run sends telemetry. If the
    // start is refused, the previous run is shown again.
    void setExpectedRun(const ExpectedRun& run);
    void clearExpectedRun();
    const std::optional<ExpectedRun>& expected() const { return m_expected; }
    // True if the experiment in the form is not the experiment of this run, because the form was changed after the
    // start.
    bool formDiffers() const { return m_formDiffers; }
    void setFormDiffers(bool differs);
    // Queues telemetry bytes, which may end in the middle of a line. The bytes are decoded in small slices between
    // other events, because decoding a long run at once would block the GUI.
    void feed(const QByteArray& bytes);
    bool isDrained() const { return m_queue.isEmpty(); }

  Q_SIGNALS:
    void restarted();
    void expectedChanged();
    void formDiffersChanged();
    void drained();                  // emitted when all queued bytes are decoded
    void changed(unsigned changes);  // emitted at most every 40 ms; changes: bits of RunChange
    void watchedChanged();           // emitted at most every 40 ms when facts, findings or logged values of a script
                                     // have changed

  private:
    void decodeSlice();

    QString m_directory;
    Decoder m_decoder;
    RunData m_data;
    WatchedScript m_watched;
    LoggedCurves m_logged;
    bool m_watchedPending = false;  // true if watchedChanged() will be emitted at the next timeout of m_tick
    std::optional<ExpectedRun> m_expected;
    bool m_formDiffers = false;
    QList<QByteArray> m_queue;
    qsizetype m_taken = 0;  // number of bytes at the start of m_queue's first entry that are decoded already
    QTimer m_slice;
    QTimer m_tick;
    unsigned m_pending = 0;
    std::size_t m_ranksShown = 0;
};

}  // namespace ringside
