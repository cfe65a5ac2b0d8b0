// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVariant>

namespace ringside {

// A persistent setting: its name in the file, its type, and its default value.
template <class T>
struct Setting {
    const char* name;
    T fallback{};
};

// All settings that the window keeps between two sessions.
namespace settings {
inline const Setting<QByteArray> kGeometry{"window/geometry"};
inline const Setting<QByteArray> kLayout{"window/layout"};
inline const Setting<QString> kPage{"window/page"};                              // name of the shown page; empty: the
                                                                                 // first page
inline const Setting<QString> kTheme{"window/theme", QStringLiteral("system")};  // theme of the window: light | dark |
                                                                                 // system
inline const Setting<int> kTypePercent{"window/type_percent", 100};
inline const Setting<bool> kReduceMotion{"window/reduce_motion", false};
inline const Setting<QStringList> kFolded{"form/folded"};  // names of the sections of the form that are folded
inline const Setting<QStringList> kRecentFiles{"files/recent"};
inline const Setting<QStringList> kRecentScripts{"watch/recent"};  // watched scripts, newest first
// choices of the newest watched script: launcher, ranks, interpreter, arguments, whole command
inline const Setting<QStringList> kLastWatch{"watch/last"};
// Python interpreter that ran the script in the last comparison with PyTorch
inline const Setting<QString> kPytorchPython{"watch/pytorch_python"};
inline const Setting<QString> kLastFolder{"files/last_folder"};
inline const Setting<QString> kLastRun{"runs/last"};             // run directory last started or attached to
inline const Setting<qint64> kProcess{"session/process", 0};     // id of the process that opened the window last;
                                                                 // 0: the window was closed
inline const Setting<QByteArray> kDraft{"session/draft"};        // unsaved experiment, as JSON
inline const Setting<QString> kDraftFile{"session/draft_file"};  // file of the unsaved experiment; may be empty
}  // namespace settings

class Settings {
  public:
    // Opens the settings file; an empty path means the user's own.
    explicit Settings(const QString& path = {});

    template <class T>
    T get(const Setting<T>& setting) const {
        return m_store.value(QLatin1String(setting.name), QVariant::fromValue(setting.fallback)).template value<T>();
    }
    template <class T>
    void set(const Setting<T>& setting, const T& value) {
        m_store.setValue(QLatin1String(setting.name), QVariant::fromValue(value));
    }
    template <class T>
    void remove(const Setting<T>& setting) {
        m_store.remove(QLatin1String(setting.name));
    }

    static constexpr int kMaxRecentFiles = 8;
    void addRecentFile(const QString& path);  // adds the file to the recent files, newest first

  private:
    QSettings m_store;
};

}  // namespace ringside
