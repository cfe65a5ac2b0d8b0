// SPDX-License-Identifier: Apache-2.0
// Target for libFuzzer: passes the bytes in two pieces through the telemetry decoder into the data of a run.
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    ringside::Decoder decoder;
    ringside::RunData run;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto take = [&](ringside::Event&& event) { run.apply(event); };
    decoder.feed(bytes.substr(0, size / 2), take);
    decoder.feed(bytes.substr(size / 2), take);
    return 0;
}
