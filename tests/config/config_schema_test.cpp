// SPDX-License-Identifier: Apache-2.0
#include "config/config_schema.h"

#include "base/json/json.h"
#include "config/config_fields.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// Checks that a section of the schema has the same keys as the default experiment, with the same default values.
// Recursive for nested sections.
void checkSection(const Json& schema, const Json& defaults) {
    CHECK(schema["additionalProperties"] == false);
    for (const auto& [key, value] : defaults.items()) {
        CAPTURE(key);
        REQUIRE(schema["properties"].contains(key));
        if (value.is_object()) {
            // An experiment file omits some settings that have their default values.
            CHECK(schema["properties"][key]["properties"].size() >= value.size());
            checkSection(schema["properties"][key], value);
        } else if (key != "version") {
            CHECK(schema["properties"][key]["default"] == value);
        }
    }
}

}  // namespace

TEST_CASE("the schema has exactly the written keys") {
    const Json schema = configSchema();
    const Json defaults = RunConfig().toJson();
    checkSection(schema, defaults);
    CHECK(schema["properties"].size() == defaults.size());
}

TEST_CASE("the schema carries types, limits, choices and help") {
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
