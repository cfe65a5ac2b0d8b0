# SPDX-License-Identifier: Apache-2.0
# Precompiles library headers once for each target: reading them takes half of a full build otherwise. Every file still
# includes the headers that it uses, because builds with clang and packaging/tidy do not precompile.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  option(RINGSIDE_PRECOMPILE "Precompile the headers of libraries (quicker full builds)" ON)
else()
  set(RINGSIDE_PRECOMPILE OFF)
endif()
if(RINGSIDE_PRECOMPILE AND RINGSIDE_CCACHE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

set(RINGSIDE_STANDARD_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map>
    <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector>)
set(RINGSIDE_QT_HEADERS <QAction> <QApplication> <QComboBox> <QCoreApplication> <QFileInfo> <QFrame> <QHBoxLayout> <QKeyEvent>
    <QLabel> <QLineEdit> <QLocale> <QMenu> <QMouseEvent> <QObject> <QPainter> <QPushButton> <QString> <QStringList> <QStyle>
    <QThreadPool> <QTimer> <QToolTip> <QVBoxLayout> <QWidget>)

# ringside_precompile(TARGET <header>...): precompiles the headers for all C++ files of the target.
function(ringside_precompile target)
  if(RINGSIDE_PRECOMPILE)
    foreach(header ${ARGN})
      string(REGEX REPLACE "[<>]" "" name "${header}")
      target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${name}$<ANGLE-R>>")
    endforeach()
  endif()
endfunction()
