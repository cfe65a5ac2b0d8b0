// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch_data.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "data/csv_dataset.h"
#include "data/csv_table.h"
#include "data/digits_dataset.h"
#include "data/gzip.h"
#include "export/pytorch_pieces.h"

namespace ringside {
namespace {

constexpr const char* kOpenText = R"(
def open_text(path):
    if str(path).endswith(".gz"):
        return gzip.open(path, "rt", newline="", encoding="utf-8-sig")
    return open(path, newline="", encoding="utf-8-sig")

)";

constexpr const char* kDigits = R"(
def load_data(path):
    """Handwritten digits: every line has 64 pixels from 0 to 16, then the digit."""
    with open_text(path) as file:
        rows = torch.tensor([[float(cell) for cell in row] for row in csv.reader(file)])
    return rows[:, :64] / 16, rows[:, 64].long()
)";

constexpr const char* kStandardize =
    R"(    trained = x[training].double()  # validation samples must not show in the scale
    mean, deviation = trained.mean(0), trained.std(0, unbiased=False)
    deviation[deviation <= 1e-12 * mean.abs()] = 1
    x = ((x - mean) / deviation).float()
)";

PythonData digits(const std::string& dataName) {
    return {.function = std::string(kOpenText) + kDigits,
            .standardize = {},
            .path = "pathlib.Path(__file__).resolve().with_name(" + pythonText(dataName) + ")",
            .readsText = true,
            .file = std::string(packedDigits())};
}

PythonData synthetic(const DatasetConfig& config) {
    const std::string size = std::to_string(config.size);
    return {.function =
                "\ndef load_data(_):\n"
                "    \"\"\"Random numbers: nothing to read, and nothing to learn.\"\"\"\n"
                "    torch.manual_seed(" +
                std::to_string(config.seed) +
                ")\n"
                "    x = torch.randn(" +
                size + ", " + std::to_string(config.features) +
                ")\n"
                "    return x, torch.randn(" +
                size + ", " + std::to_string(config.targets) + ")\n",
            .standardize = {},
            .path = "None"};
}

// What the reader found out about a table and the script must know.
struct TableForm {
    char separator = ',';
    std::vector<std::string> firstRow = {};
    std::int64_t records = 0;
    bool hasHeader = false;
};

std::size_t labelColumn(const DatasetConfig& config, const TableForm& form) {
    std::size_t number = form.firstRow.size() - 1;
    if (config.labelColumn.empty()) return number;
    const auto named = std::ranges::find(form.firstRow, config.labelColumn);
    if (form.hasHeader && named != form.firstRow.end()) return static_cast<std::size_t>(named - form.firstRow.begin());
    std::from_chars(config.labelColumn.data(), config.labelColumn.data() + config.labelColumn.size(), number);
    return number;
}

bool hasTextLabels(const Dataset& data) {
    for (std::int64_t label = 0; label < data.classCount(); ++label)
        if (!cellNumber(data.className(label))) return true;
    return false;
}

Result<TableForm> readForm(const std::filesystem::path& file, const DataSplit& data) {
    Result<std::string> content = readFile(file, kMaxCsvBytes);
    if (content && isGzip(content.value())) content = gunzip(content.value(), file.string(), kMaxCsvBytes);
    if (!content) return content.problem();
    CsvReader reader(content.value(), file.string());
    TableForm form{.separator = reader.separator()};
    std::vector<std::string> cells;
    for (;; ++form.records) {
        const Result<bool> more = reader.next(cells);
        if (!more) return more.problem();
        if (!more.value()) break;
        if (form.records == 0) form.firstRow = cells;
    }
    form.hasHeader = form.records > data.training->size() + data.validation->size();
    return form;
}

std::string labelLines(const Dataset& data) {
    if (data.classCount() == 0) return "    return x, torch.tensor([[float(label)] for label in labels])\n";
    return std::string(hasTextLabels(data) ? "" : "    labels = [float(label) for label in labels]\n") +
           "    number = {label: i for i, label in enumerate(sorted(set(labels)))}\n"
           "    return x, torch.tensor([number[label] for label in labels])\n";
}

Result<PythonData> table(const DatasetConfig& config, const DataSplit& data, const std::filesystem::path& file) {
    const Result<TableForm> form = readForm(file, data);
    if (!form) return form.problem();
    const std::size_t label = labelColumn(config, form.value());
    const std::string separator = form.value().separator == '\t' ? "\\t" : std::string(1, form.value().separator);
    std::string text = std::string(kOpenText) + "\ndef load_data(path):\n    \"\"\"A table: column " +
                       std::to_string(label) +
                       ", counted from 0, is to be predicted from the others.\"\"\"\n"
                       "    with open_text(path) as file:\n"
                       "        rows = [row for row in csv.reader(file, delimiter=\"" +
                       separator + "\") if any(cell.strip() for cell in row)]\n";
    if (form.value().hasHeader) text += "    del rows[0]  # the names of the columns\n";
    text += "    labels = [row.pop(" + std::to_string(label) +
            ").strip() for row in rows]\n"
            "    x = torch.tensor([[float(cell) for cell in row] for row in rows])\n" +
            labelLines(*data.training);
    return PythonData{
        .function = text, .standardize = kStandardize, .path = pythonText(file.string()), .readsText = true};
}

}  // namespace

Result<PythonData> pythonData(const DatasetConfig& config, const DataSplit& data,
                              const std::filesystem::path& baseDirectory, const std::string& dataName) {
    if (config.kind == "digits") return digits(dataName);
    if (config.kind == "synthetic" && data.training->classCount() == 0) return synthetic(config);
    if (config.kind == "csv" && config.missing != "refuse") {
        return Problem{"dataset.missing", "is " + config.missing + ", which cannot be exported to PyTorch",
                       "clean the file, and set it to refuse"};
    }
    if (config.kind == "csv") {
        return table(config, data, std::filesystem::absolute(baseDirectory / config.path).lexically_normal());
    }
    return Problem{"dataset.kind",
                   "is " + config.kind + (config.kind == "synthetic" ? " with classes" : "") +
                       ", which cannot be exported to PyTorch",
                   "choose digits, csv or synthetic regression"};
}

}  // namespace ringside
