// SPDX-License-Identifier: Apache-2.0

// The page: one file that shows the whole report in a browser, without a network (reports/web/).
#include <ostream>

#include "model/check.hpp"
#include "reports/html_page.hpp"
#include "reports/page_data.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTitleMarker = "<!--lockkeeper:title-->";
constexpr std::string_view kSummaryMarker = "<!--lockkeeper:summary-->";
constexpr std::string_view kDataMarker = "<!--lockkeeper:data-->";

// Nothing in the data can end the script that it stands in, or begin a comment there.
std::string for_script(const Json& data) {
    const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string out;
    out.reserve(json.size());
    for (const char character : json) {
        if (character == '<') {
            out += "\\u003c";
        } else {
            out += character;
        }
    }
    return out;
}

// Text that is not UTF-8 is replaced, as in the data.
std::string as_utf8(const std::string& text) {
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
        .get<std::string>();
}

class HtmlWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        const PageContent page = page_content(results, written(*find_format("text"), results));
        std::string_view shell = page_shell();
        out() << kPageMark << "\n";
        if (shell.empty()) {  // why_no_pages() has said so
            out() << as_utf8(summary_html(page.summary)) << std::flush;
            return;
        }
        print_up_to(kTitleMarker, shell);
        out() << escaped_html(as_utf8(page.summary.title + " - Lockkeeper"));
        print_up_to(kSummaryMarker, shell);
        out() << as_utf8(summary_html(page.summary));
        print_up_to(kDataMarker, shell);
        out() << for_script(page.data) << shell << std::flush;
    }

  private:
    // The part of the shell before the marker; `shell` is what stands behind it.
    void print_up_to(std::string_view marker, std::string_view& shell) const {
        const std::size_t at = shell.find(marker);
        LOCKKEEPER_CHECK(at != std::string_view::npos);
        out() << shell.substr(0, at);
        shell.remove_prefix(at + marker.size());
    }
};

}  // namespace

std::string_view why_no_pages() {
    return page_shell().empty() ? "this lockkeeper was built without npm, and has no pages" : "";
}

// A row of formats.cpp.
std::unique_ptr<Writer> make_html_writer(std::ostream& out, bool verbose) {
    return std::make_unique<HtmlWriter>(out, verbose);
}

}  // namespace lockkeeper
