// SPDX-License-Identifier: Apache-2.0
#include "experiment/devices_command.h"

#include <cstdio>
#include <iostream>
#include <memory>

#include "base/json/json.h"
#include "devices/host_devices.h"

namespace ringside {
namespace {

void printDevices(const HostDevices& host) {
    constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
    std::printf("CPU   %s\n      %d CPUs usable by this process, %.1f GiB memory, %.1f GiB available\n",
                host.cpuName.c_str(), host.cpus, static_cast<double>(host.memoryBytes) / kGibibyte,
                static_cast<double>(host.availableBytes) / kGibibyte);
    std::fputs(describeGpus(host.gpus).c_str(), stdout);
}

}  // namespace

void addDevicesCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command =
        app.add_subcommand("devices", "Lists the devices that ranks can use, and the reason if a GPU is not used");
    command->footer("Examples:\n  ringsidectl devices\n  ringsidectl devices --json");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print JSON for programs");
    command->callback([json, &action] {
        action = [json] {
            const HostDevices host = findHostDevicesAndGpus();
            if (*json) {
                std::cout << toJson(host).dump(2) << '\n';
            } else {
                printDevices(host);
            }
            return 0;
        };
    });
}

}  // namespace ringside
