// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "base/errors/exit_code.h"

namespace ringside {

// Failure of the environment (hardware, network, another process), as opposed to wrong input (Problem). The text names
// the failure, the rank or file, and the remedy. main() catches it once per process and returns exitCode().
class Error : public std::runtime_error {
  public:
    Error(const std::string& text, ExitCode exitCode) : std::runtime_error(text), m_exitCode(exitCode) {}
    ExitCode exitCode() const { return m_exitCode; }

  private:
    ExitCode m_exitCode;
};

// File or directory that could not be read or written.
class IoError : public Error {
  public:
    // systemError: errno value of the cause, or 0 if there is none.
    explicit IoError(const std::string& text, int systemError = 0)
        : Error(text, ExitCode::kBadConfiguration), m_systemError(systemError) {}
    int systemError() const { return m_systemError; }

  private:
    int m_systemError;
};

// Failure of a compute device.
class DeviceError : public Error {
  public:
    explicit DeviceError(const std::string& text) : Error(text, ExitCode::kDeviceFailed) {}
};

// Failure of a peer rank: it exited or did not respond in time. missingRank() is the first rank that did not arrive, or
// -1 if unknown.
class CommError : public Error {
  public:
    explicit CommError(const std::string& text, int missingRank = -1)
        : Error(text, ExitCode::kCommunicationFailed), m_missingRank(missingRank) {}
    int missingRank() const { return m_missingRank; }

  private:
    int m_missingRank;
};

// Stop that the user has requested.
class StoppedError : public Error {
  public:
    StoppedError() : Error("stopped by request", ExitCode::kStopped) {}
};

// Violated assertion, a bug in Ringside. Checked in every build. The text names the condition and the source location.
class InternalError : public Error {
  public:
    explicit InternalError(const std::string& text) : Error(text, ExitCode::kInternal) {}
};

[[noreturn]] void assertionFailed(const char* condition, const char* file, int line);

}  // namespace ringside

#define RINGSIDE_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::ringside::assertionFailed(#condition, __FILE__, __LINE__))
