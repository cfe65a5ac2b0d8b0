// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/errors/result.h"
#include "launch/classroom/join_code.h"

namespace ringside {

inline constexpr const char* kCodeVariable = "RINGSIDE_CODE";

// Sources from which `ringsidectl join` can read the join code.
struct CodeSources {
    std::string argument;  // join code, "-" to read it from standard input, or empty
    std::string file;      // path given with --code-file; empty if none
    int inputFd = 0;
    int cancelFd = -1;  // descriptor that becomes readable when a signal has arrived
};

// Returns the join code from the one source that is given: the argument, the file, or the environment variable
// RINGSIDE_CODE, which is then removed so that no child process inherits it. If none is given, asks the user at a
// terminal. Prints a warning on standard error if other users can read the code, in the list of processes or in the
// file.
Result<JoinCode> findJoinCode(const CodeSources& sources);

}  // namespace ringside
