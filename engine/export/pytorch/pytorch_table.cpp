// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "data/readers/csv_table.h"
#include "data/readers/text_file.h"
#include "data/sets/files/csv_dataset.h"
#include "export/pytorch/pytorch_data.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"

namespace ringside {
namespace {

// Properties of a CSV table that determine the Python code that reads the table.
struct TableForm {
    char separator = ',';
    std::vector<std::string> firstRow = {};
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

Result<TableForm> readForm(const PythonDataRequest& request) {
    const std::filesystem::path& file = request.path;
    const Result<std::string> content = readTextFile(file, kMaxCsvBytes);
    if (!content) return content.problem();
    CsvReader reader(content.value(), file.string());
    TableForm form{.separator = reader.separator()};
    std::vector<std::string> second;
    for (std::vector<std::string>* cells : {&form.firstRow, &second}) {
        const Result<bool> more = reader.next(*cells);
        if (!more) return more.problem();
    }
    const CsvHeader header = request.config.header;
    form.hasHeader = header == CsvHeader::kYes || (header != CsvHeader::kNo && looksLikeHeader(form.firstRow, second));
    return form;
}

std::string labelLines(const Dataset& data) {
    if (data.classCount() == 0) return "    return Samples(x, torch.tensor([[float(label)] for label in labels]))\n";
    return std::string(hasTextLabels(data) ? "" : "    labels = [float(label) for label in labels]\n") +
           "    number = {label: i for i, label in enumerate(sorted(set(labels)))}\n"
           "    return Samples(x, torch.tensor([number[label] for label in labels]))\n";
}

}  // namespace

Result<PythonData> pythonTable(const PythonDataRequest& request) {
    const Result<TableForm> form = readForm(request);
    if (!form) return form.problem();
    const std::size_t label = labelColumn(request.config, form.value());
    const std::string separator = form.value().separator == '\t' ? "\\t" : std::string(1, form.value().separator);
    const MissingCells missing = request.config.missing;
    std::string text = pythonSamples(false) + pythonPiece("open_text") +
                       (missing == MissingCells::kRefuse ? "" : pythonPiece("is_missing")) +
                       "\ndef load_data(path):\n    \"\"\"A table: column " + std::to_string(label) +
                       ", counted from 0, is to be predicted from the others.\"\"\"\n"
                       "    with open_text(path) as file:\n"
                       "        rows = [row for row in csv.reader(file, delimiter=\"" +
                       separator + "\") if any(cell.strip() for cell in row)]\n";
    if (form.value().hasHeader) text += "    del rows[0]  # the names of the columns\n";
    if (missing == MissingCells::kDrop) text += "    rows = [row for row in rows if not any(map(is_missing, row))]\n";
    const std::string number =
        missing == MissingCells::kMean ? "math.nan if is_missing(cell) else float(cell)" : "float(cell)";
    text += "    labels = [row.pop(" + std::to_string(label) +
            ").strip() for row in rows]\n"
            "    x = torch.tensor([[" +
            number + " for cell in row] for row in rows])\n" + labelLines(*request.data.training);
    return PythonData{
        .function = text,
        .standardize = (missing == MissingCells::kMean ? pythonPiece("fill_missing") : "") + pythonPiece("standardize"),
        .path = pythonText(request.path.string()),
        .imports = {"csv", "gzip"}};
}

}  // namespace ringside
