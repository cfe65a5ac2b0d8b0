// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>

#include "base/json/json.h"
#include "base/system/files.h"
#include "base/system/resource_directory.h"
#include "config/run_config.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

TEST_CASE("every example is a valid experiment, named like its file") {
    int examples = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(resourcePath("examples").value())) {
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        const Result<Json> json = readJsonFile(entry.path().string());
        REQUIRE(json);
        const Result<RunConfig> config = RunConfig::fromJson(json.value());
        REQUIRE(config);
        CHECK(config.value().name + ".ringside.json" == name);
        CHECK(config.value().validate().empty());
        ++examples;
    }
    CHECK(examples == 6);
}
