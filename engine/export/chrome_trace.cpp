// SPDX-License-Identifier: Apache-2.0
#include "export/chrome_trace.h"

#include <array>
#include <span>

#include "base/json/json_members.h"
#include "base/text/number_writer.h"

namespace ringside {
namespace {

constexpr int kTrainingThread = 0;
constexpr int kCollectiveThread = 1;
constexpr std::array<const char*, 5> kCollectiveNames{"all-reduce", "broadcast", "all-gather", "reduce-scatter",
                                                      "barrier"};

const char* collectiveName(int kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < kCollectiveNames.size() ? kCollectiveNames[index] : "collective";
}

// Writes events one at a time. Times are converted to the format's microseconds.
class TraceWriter {
  public:
    explicit TraceWriter(const std::string& runName) {
        m_out.text(R"({"displayTimeUnit":"ms","otherData":{"run":)")
            .text(jsonText(Json(runName)))
            .text(R"(},"traceEvents":[)");
    }

    void nameRank(int rank) {
        named(rank, kTrainingThread, "process_name", "rank " + std::to_string(rank));
        named(rank, kTrainingThread, "thread_name", "training");
        named(rank, kCollectiveThread, "thread_name", "collectives");
    }

    void span(int rank, const TracedStep& step, const Span& span) {
        begin("X", rank, kTrainingThread, span.beginNs);
        name(phaseName(span.phase)).text(R"(,"cat":"phase","dur":)");
        microseconds(span.endNs - span.beginNs).text(R"(,"args":{"step":)").number(step.step);
        m_out.text(R"(,"epoch":)").number(step.epoch).text(R"(,"cpu_us":)");
        microseconds(span.cpuNs);
        if (span.layer >= 0) m_out.text(R"(,"layer":)").number(std::int64_t{span.layer});
        m_out.text("}}");
    }

    // Writes a span without an end, which viewers draw up to the end of the trace.
    void openSpan(int rank, const TracedStep& step, const Span& span) {
        begin("B", rank, kTrainingThread, span.beginNs);
        name(span.phase == Phase::kIdle ? "no report" : phaseName(span.phase));
        m_out.text(R"(,"cat":"open","args":{"step":)").number(step.step).text("}}");
    }

    void collective(int rank, const TracedStep& step, const CollectiveArrivals& meeting, const CollectiveSpan& span) {
        begin("X", rank, kCollectiveThread, span.arrivedNs);
        name(collectiveName(span.kind)).text(R"(,"cat":"collective","dur":)");
        microseconds(span.endedNs - span.arrivedNs).text(R"(,"args":{"step":)").number(step.step);
        m_out.text(R"(,"number":)").number(span.number).text(R"(,"bytes":)").number(span.bytes);
        m_out.text(R"(,"bucket":)").number(std::int64_t{meeting.bucket});
        m_out.text(R"(,"last_rank":)").number(std::int64_t{meeting.lastRank}).text(R"(,"waited_us":)");
        microseconds(meeting.lastNs - span.arrivedNs).text("}}");
    }

    // Writes an arrow from the arrival of the last rank to a rank that waited for it.
    void arrow(const CollectiveArrivals& meeting, int to) {
        ++m_arrows;
        end("s", meeting.lastRank, meeting.lastNs);
        end("f", to, meeting.lastNs);
    }

    std::string take() { return m_out.text("\n]}\n").take(); }

  private:
    void begin(const char* kind, int rank, int thread, std::int64_t atNs) {
        m_out.text(m_first ? "\n" : ",\n").text(R"({"ph":")").text(kind).text(R"(","pid":)");
        m_out.number(std::int64_t{rank}).text(R"(,"tid":)").number(std::int64_t{thread}).text(R"(,"ts":)");
        microseconds(atNs);
        m_first = false;
    }
    void end(const char* kind, int rank, std::int64_t atNs) {
        begin(kind, rank, kCollectiveThread, atNs);
        name("last rank to arrive").text(R"(,"cat":"arrival","id":)").number(m_arrows);
        m_out.text(*kind == 'f' ? R"(,"bp":"e"})" : "}");
    }
    void named(int rank, int thread, const char* what, const std::string& text) {
        begin("M", rank, thread, 0);
        name(what).text(R"(,"args":{"name":")").text(text).text(R"("}})");
    }
    NumberWriter& name(std::string_view text) { return m_out.text(R"(,"name":")").text(text).character('"'); }
    NumberWriter& microseconds(std::int64_t ns) { return m_out.number(static_cast<double>(ns) / 1000); }

    NumberWriter m_out;
    bool m_first = true;
    std::int64_t m_arrows = 0;
};

const CollectiveArrivals* meetingOf(const TracedStep& step, const CollectiveSpan& span) {
    for (const CollectiveArrivals& meeting : step.arrivals)
        if (meeting.group == span.group && meeting.number == span.number) return &meeting;
    return nullptr;
}

void writeStep(TraceWriter& out, const TracedStep& step) {
    for (std::size_t index = 0; index < step.ranks.size(); ++index) {
        const auto rank = static_cast<int>(index);
        const RankTrace& trace = step.ranks[index];
        const bool open = !trace.known && !trace.spans.empty();
        for (const Span& span : std::span(trace.spans).first(trace.spans.size() - (open ? 1 : 0)))
            if (span.phase != Phase::kIdle) out.span(rank, step, span);
        if (open) out.openSpan(rank, step, trace.spans.back());
        for (const CollectiveSpan& span : step.ranks[index].collectives) {
            const CollectiveArrivals* meeting = meetingOf(step, span);
            if (meeting == nullptr) continue;
            out.collective(rank, step, *meeting, span);
            if (rank != meeting->lastRank) out.arrow(*meeting, rank);
        }
    }
}

}  // namespace

std::string chromeTrace(const TraceData& trace, const std::string& runName) {
    TraceWriter out(runName);
    bool named = false;
    for (const auto& [number, step] : trace.steps()) {
        for (std::size_t rank = 0; !named && rank < step.ranks.size(); ++rank) out.nameRank(static_cast<int>(rank));
        named = true;
        writeStep(out, step);
    }
    return out.take();
}

}  // namespace ringside
