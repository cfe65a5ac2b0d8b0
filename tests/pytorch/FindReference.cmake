# SPDX-License-Identifier: Apache-2.0
# Finds the python3 with the PyTorch that tests compare with: RINGSIDE_TORCH_PYTHON, such as that of a virtual
# environment, or else the system's (package python3-torch). If the system offers this package and it is not installed,
# the tests that need it fail with a message. If the system has no such package, as Ubuntu 24.04, they are omitted.
find_program(RINGSIDE_TORCH_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(RINGSIDE_TORCH_PYTHON NAMES python3 REQUIRED)
set(_without OFF)
set(_lacking "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)")
execute_process(COMMAND ${RINGSIDE_TORCH_PYTHON} -c "${_lacking}" RESULT_VARIABLE _lacks)
if(_lacks)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C apt-cache policy python3-torch
    OUTPUT_VARIABLE _offered ERROR_QUIET)
  if(NOT _offered MATCHES "Candidate: [^(]")
    set(_without ON)
    message(STATUS "This system's packages have no PyTorch, so no test compares with it; with one of your own, "
      "-DRINGSIDE_WITHOUT_PYTORCH=OFF -DRINGSIDE_TORCH_PYTHON=PATH-OF-ITS-PYTHON3")
  endif()
endif()
option(RINGSIDE_WITHOUT_PYTORCH "Leave out the comparison with PyTorch instead of failing without it" ${_without})
