// SPDX-License-Identifier: Apache-2.0
#include "train/control/step_agreement.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <string>

#include "base/errors/errors.h"
#include "comm/ranks_as_threads.h"
#include "support/catch.h"

using namespace ringside;
using ringside::test::onLocalRanks;

namespace {

class ListedControl final : public ControlSource {
  public:
    explicit ListedControl(std::deque<ControlCommand> commands) : m_commands(std::move(commands)) {}
    bool hasCommand() const override { return !m_commands.empty(); }
    std::vector<ControlCommand> take(std::size_t most) override {
        std::vector<ControlCommand> taken;
        for (; taken.size() < most && !m_commands.empty(); m_commands.pop_front()) taken.push_back(m_commands.front());
        return taken;
    }
    bool waitForCommand(std::chrono::microseconds) override { return hasCommand(); }
    bool waitForStop(std::chrono::microseconds) override { return false; }

  private:
    std::deque<ControlCommand> m_commands;
};

using Commands = std::vector<ControlCommand>;

// Returns the commands that each rank receives in each round, when rank 0 receives `given` and the others receive a
// stop.
std::vector<std::vector<Commands>> rounds(int ranks, const std::deque<ControlCommand>& given, int count) {
    std::vector<std::vector<Commands>> reported(static_cast<std::size_t>(ranks));
    onLocalRanks(ranks, [&](Communicator& communicator) {
        const bool first = communicator.rank() == 0;
        ListedControl control(first ? given : std::deque<ControlCommand>{{ControlKind::kStop}});
        StepAgreement agreement(communicator, control);
        for (int round = 0; round < count; ++round)
            reported[static_cast<std::size_t>(communicator.rank())].push_back(agreement.agreeWithoutStep());
    });
    return reported;
}

}  // namespace

TEST_CASE("all ranks receive the commands of rank 0 in the same round and in order") {
    const Commands expected{{ControlKind::kRate, 2.5}, {ControlKind::kPause, 0}};
    for (const auto& own : rounds(3, {{ControlKind::kRate, 2.5}, {ControlKind::kPause, 0}}, 2)) {
        CHECK(own[0] == expected);
        CHECK(own[1].empty());
    }
    CHECK(rounds(1, {{ControlKind::kRate, 2.5}, {ControlKind::kPause, 0}}, 1)[0][0] == expected);
}

TEST_CASE("commands that do not fit into one round are sent in the next") {
    std::deque<ControlCommand> many;
    for (int i = 0; i < 20; ++i) many.push_back({ControlKind::kStep, i + 1.0});
    for (const auto& own : rounds(2, many, 3)) {
        REQUIRE(own[0].size() == 16);
        REQUIRE(own[1].size() == 4);
        CHECK(own[0].back().value == 16);
        CHECK(own[1].back().value == 20);
        CHECK(own[2].empty());
    }
}

TEST_CASE("without the signal nothing is exchanged, and commands wait") {
    struct Seen {
        bool signal = false;
        Commands without, with;
        std::int64_t collectivesWithout = 0, collectivesWith = 0;
    };
    std::array<Seen, 2> all;
    onLocalRanks(2, [&](Communicator& communicator) {
        ListedControl control({{ControlKind::kStop}});
        StepAgreement agreement(communicator, control);
        Seen& own = all[static_cast<std::size_t>(communicator.rank())];
        own.signal = agreement.hasPendingCommands();
        own.without = agreement.agreeAfterStep(false);
        own.collectivesWithout = communicator.collectiveNumber();
        own.with = agreement.agreeAfterStep(true);
        own.collectivesWith = communicator.collectiveNumber();
    });
    CHECK(all[0].signal);
    CHECK_FALSE(all[1].signal);
    for (const Seen& own : all) {
        CHECK(own.without.empty());
        CHECK(own.collectivesWithout == 0);
        CHECK(own.with == Commands{{ControlKind::kStop, 0}});
        CHECK(own.collectivesWith == 1);
    }
}

TEST_CASE("commands posted by rank 0 reach all ranks") {
    std::array<Commands, 2> reported;
    onLocalRanks(2, [&](Communicator& communicator) {
        ListedControl control({});
        StepAgreement agreement(communicator, control);
        if (communicator.rank() == 0) agreement.post({ControlKind::kCheckpoint});
        reported[static_cast<std::size_t>(communicator.rank())] = agreement.agreeWithoutStep();
    });
    for (const Commands& own : reported) CHECK(own == Commands{{ControlKind::kCheckpoint, 0}});
}

namespace {

// Returns the error that rank 0 gets when the other rank contributes these numbers to the exchange: the count, then
// kind and value of each command.
std::string errorFor(const std::vector<double>& garbage) {
    std::string error;
    onLocalRanks(2, [&](Communicator& communicator) {
        ListedControl control({});
        if (communicator.rank() == 0) {
            try {
                StepAgreement(communicator, control).agreeAfterStep(true);
            } catch (const CommError& caught) {
                error = caught.what();
            }
            return;
        }
        std::array<double, 1 + 2 * StepAgreement::kMaxAtOnce> numbers{};
        std::ranges::copy(garbage, numbers.begin());
        communicator.allReduce(CommBuffer::of(std::span(numbers)), ReduceOp::kSum);
    });
    return error;
}

}  // namespace

TEST_CASE("numbers of a peer that are not control commands are refused") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(errorFor({2, 1, 0, 5, 2.5}).empty());  // pause, rate 2.5
    CHECK(errorFor({17}) ==
          "the ranks exchanged control commands whose number is 17 instead of an integer from 0 to 16: start "
          "all ranks with the same version of Ringside");
    for (const double count : {-1.0, 0.5, 1e300, nan}) CHECK_THAT(errorFor({count}), containing("number is"));
    for (const double kind : {-1.0, 13.0, 1.5, nan}) CHECK_THAT(errorFor({1, kind}), containing("kind is"));
    for (const double value : {nan, 1e300, -2e9})
        CHECK_THAT(errorFor({1, 5, value}), containing("\"rate\" with the value"));
}
