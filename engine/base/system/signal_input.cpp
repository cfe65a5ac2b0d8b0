// SPDX-License-Identifier: Apache-2.0
#include "base/system/signal_input.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace ringside {
namespace {

bool isIgnored(int number) {
    struct sigaction current {};
    return ::sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

UniqueFd signalInput(std::initializer_list<int> numbers) {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int number : numbers) {
        if (!isIgnored(number)) sigaddset(&wanted, number);
    }
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    return UniqueFd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool readSignalFrom(int fd) {
    signalfd_siginfo ignored{};
    return ::read(fd, &ignored, sizeof ignored) > 0;
}

}  // namespace ringside
