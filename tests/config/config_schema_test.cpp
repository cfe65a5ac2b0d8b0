// SPDX-License-Identifier: Apache-2.0
#include "config/config_schema.h"

#include "base/json.h"
#include "config/config_fields.h"
#include "support/catch.h"

using namespace ringside;

TEST_CASE("The schema knows every key that is written, and no other") {
    const Json schema = configSchema();
    const Json defaults = RunConfig().toJson();
    for (const auto& [section, content] : defaults.items()) {
        REQUIRE(schema["properties"].contains(section));
        if (!content.is_object()) continue;
        CHECK(schema["properties"][section]["additionalProperties"] == false);
        for (const auto& [key, value] : content.items()) {
            CAPTURE(section, key);
            CHECK(schema["properties"][section]["properties"][key]["default"] == value);
        }
    }
    CHECK(schema["additionalProperties"] == false);
    CHECK(schema["properties"].size() == defaults.size());
}

TEST_CASE("The schema carries types, limits, choices and help") {
    const Json schema = configSchema();
    const Json& parallel = schema["properties"]["parallel"]["properties"];
    CHECK(parallel["world_size"]["type"] == "integer");
    CHECK(parallel["world_size"]["minimum"] == 1);
    CHECK(parallel["world_size"]["maximum"] == 4096);
    CHECK(parallel["backend"]["enum"] == Json({"auto", "shm", "gloo", "mpi", "nccl"}));
    CHECK(parallel["bucket_cap_mb"]["exclusiveMinimum"] == 0.0);
    CHECK(parallel["world_size"]["description"].get<std::string>().find("ranks") != std::string::npos);
    const Json& hidden = schema["properties"]["model"]["properties"]["hidden"];
    CHECK(hidden["type"] == "array");
    CHECK(hidden["items"]["maximum"] == 65536);
    CHECK(schema["properties"]["loader"]["properties"]["prefetch_factor"]["type"] == Json({"integer", "null"}));
    CHECK(schema["properties"]["optimizer"]["properties"]["amsgrad"]["enum"] == Json::array({false}));
}
