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

// Run that was requested and has not sent any line yet.
struct ExpectedRun {
    std::int64_t ranks = 0;
    QString name;
    QString script = {};  // name of the script of a watched run; empty for runs that Ringside trains
};

// RunData for the views. Decodes telemetry and emits changed() at most every 40 ms with all changes since the last
// emission.
class RunModel : public QObject {
    Q_OBJECT
  public:
    explicit RunModel(QObject* parent = nullptr);

    const RunData& data() const { return m_data; }
    const WatchedScript& watched() const { return m_watched; }
    const LoggedCurves& logged() const { return m_logged; }  // returns the scalars that a watched script has logged
    // True if the shown or expected run is that of a watched script, which Ringside cannot pause.
    bool isWatched() const { return m_expected ? !m_expected->script.isEmpty() : m_watched.isWatched(); }
    // Directory of the run whose telemetry feed() receives; empty: no run.
    const QString& directory() const { return m_directory; }
    void setDirectory(const QString& directory) { m_directory = directory; }
    void reset();  // clears everything but the expected run and emits restarted(); call for each new run
    // Sets the run that is starting. Until the first telemetry of this run arrives, views must not show the previous
    // run. The previous run is shown again if the new run is refused.
    void setExpectedRun(const ExpectedRun& run);
    void clearExpectedRun();
    const std::optional<ExpectedRun>& expected() const { return m_expected; }
    // True if the form was changed after this run was started. The numbers of the run then do not describe the
    // experiment in the form.
    bool formDiffers() const { return m_formDiffers; }
    void setFormDiffers(bool differs);
    // Queues telemetry bytes; a call may end in the middle of a line. The bytes are decoded in slices between other
    // events, so that a long replay never blocks the GUI.
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
    qsizetype m_taken = 0;  // number of bytes of the first entry of m_queue that are decoded already
    QTimer m_slice;
    QTimer m_tick;
    unsigned m_pending = 0;
    std::size_t m_ranksShown = 0;
};

}  // namespace ringside
