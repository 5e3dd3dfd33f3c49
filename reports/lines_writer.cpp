// One line a file, for scripts: the verdict, a tab, the file.
#include "reports/words.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

class LinesWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        for (const RunReport& report : results.files) {
            out() << name_of(report.met.value_or(report.verdict)) << "\t" << printable(report.file)
                  << "\n";
        }
        out() << std::flush;
    }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_lines_writer(std::ostream& out, bool verbose) {
    return std::make_unique<LinesWriter>(out, verbose);
}

}  // namespace lockkeeper
