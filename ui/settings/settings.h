// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVariant>

namespace ringside {

// A setting that is stored in the settings file: its type T, its name in the file, and its default value.
template <class T>
struct Setting {
    const char* name;
    T fallback{};
};

// All settings of the window. They are stored in a file and restored at the next start.
namespace settings {
inline const Setting<QByteArray> kGeometry{"window/geometry"};
inline const Setting<QByteArray> kLayout{"window/layout"};
inline const Setting<QString> kPage{"window/page"};                              // name of the shown page; empty: the
                                                                                 // first page
inline const Setting<QString> kTheme{"window/theme", QStringLiteral("system")};  // theme of the window: light | dark |
                                                                                 // system
inline const Setting<int> kTypePercent{"window/type_percent", 100};
inline const Setting<bool> kReduceMotion{"window/reduce_motion", false};
// object names of the title buttons of the form's folded sections
inline const Setting<QStringList> kFolded{"form/folded"};
inline const Setting<QStringList> kRecentFiles{"files/recent"};
inline const Setting<QStringList> kRecentScripts{"watch/recent"};  // watched PyTorch scripts, newest first
// Choices in the dialog for the script that was watched last: launcher, ranks, interpreter, arguments, whole command.
inline const Setting<QStringList> kLastWatch{"watch/last"};
// Path of the Python interpreter in the last comparison with PyTorch.
inline const Setting<QString> kPytorchPython{"watch/pytorch_python"};
inline const Setting<QString> kLastFolder{"files/last_folder"};
inline const Setting<QString> kLastRun{"runs/last"};  // directory of the run that was started or attached to last
// id of the process that opened the window last; 0: its window was closed properly
inline const Setting<qint64> kProcess{"session/process", 0};
inline const Setting<QByteArray> kDraft{"session/draft"};        // unsaved experiment, as JSON
inline const Setting<QString> kDraftFile{"session/draft_file"};  // file of the unsaved experiment; may be empty
}  // namespace settings

class Settings {
  public:
    // Opens the settings file with this path; empty: the settings file of the user.
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
    void addRecentFile(const QString& path);  // adds a file at the start of the list of recent files

  private:
    QSettings m_store;
};

}  // namespace ringside
