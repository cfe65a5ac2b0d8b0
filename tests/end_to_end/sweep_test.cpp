// SPDX-License-Identifier: Apache-2.0
#include "end_to_end/program.h"
#include "support/catch.h"

using namespace ringside;

TEST_CASE("a sweep measures every number of workers once, in order, and ends with an advice") {
    Program sweep({"sweep", "--num-workers", "2,0,2", "--seconds", "0.05", "--json"});
    REQUIRE(sweep.wait() == 0);
    const std::string& text = sweep.output();
    const std::size_t head = text.find(R"({"kind":"loader_sweep","data":"1,437 training)");
    const std::size_t none = text.find(R"({"kind":"loader_rate","num_workers":0,)");
    const std::size_t two = text.find(R"({"kind":"loader_rate","num_workers":2,)");
    const std::size_t advice = text.find(R"({"kind":"loader_advice","num_workers":)");
    INFO(text);
    REQUIRE(advice != std::string::npos);
    CHECK(head == 0);
    CHECK(none < two);
    CHECK(two < advice);
    CHECK(text.find("loader_rate", two + 30) == std::string::npos);
}

TEST_CASE("an invalid sweep is refused in one line") {
    const auto refusal = [](const std::vector<std::string>& arguments) {
        Program sweep(arguments);
        CHECK(sweep.wait() == 2);
        return sweep.output();
    };
    CHECK(contains(refusal({"sweep", "--num-workers", "1,x"}), "--num-workers has \"x\""));
    CHECK(contains(refusal({"sweep", "--num-workers", "129"}), "from 0 to 128"));
    CHECK(contains(refusal({"sweep", "--seconds", "0"}), "from 0.01 to 600"));
    CHECK(contains(refusal({"sweep", "--set", "dataset.kind=synthetic", "--set", "loader.normalize=true"}),
                   "loader.normalize is true; only images can be transformed"));
}
