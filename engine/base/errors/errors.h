// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "base/errors/exit_code.h"

namespace ringside {

// The machine failed, not the user and not us. The text says what, which rank or file, and what to do.
// Caught once per process, in main(), which returns exitCode().
class Error : public std::runtime_error {
  public:
    Error(const std::string& text, ExitCode exitCode) : std::runtime_error(text), m_exitCode(exitCode) {}
    ExitCode exitCode() const { return m_exitCode; }

  private:
    ExitCode m_exitCode;
};

// A file or directory could not be read or written.
class IoError : public Error {
  public:
    // systemError: the errno value that caused the failure, 0 where there is none.
    explicit IoError(const std::string& text, int systemError = 0)
        : Error(text, ExitCode::kBadConfiguration), m_systemError(systemError) {}
    int systemError() const { return m_systemError; }

  private:
    int m_systemError;
};

// A compute device failed or refused.
class DeviceError : public Error {
  public:
    explicit DeviceError(const std::string& text) : Error(text, ExitCode::kDeviceFailed) {}
};

// A peer rank is gone or silent. missingRank() is the first rank that did not arrive, -1 when unknown.
class CommError : public Error {
  public:
    explicit CommError(const std::string& text, int missingRank = -1)
        : Error(text, ExitCode::kCommunicationFailed), m_missingRank(missingRank) {}
    int missingRank() const { return m_missingRank; }

  private:
    int m_missingRank;
};

// Our own mistake: checked in every build. The text names the condition and the place.
class InternalError : public Error {
  public:
    explicit InternalError(const std::string& text) : Error(text, ExitCode::kInternal) {}
};

[[noreturn]] void assertionFailed(const char* condition, const char* file, int line);

}  // namespace ringside

#define RINGSIDE_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::ringside::assertionFailed(#condition, __FILE__, __LINE__))
