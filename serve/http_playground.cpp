// SPDX-License-Identifier: Apache-2.0
#include "serve/http_playground.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <variant>

#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;
namespace http = boost::beast::http;

constexpr const char* kIndex = "index.html";
constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".wasm", "application/wasm"},
};

std::string_view type_of(std::string_view path) {
    for (const auto& [ending, type] : kTypes) {
        if (path.ends_with(ending)) {
            return type;
        }
    }
    return "application/octet-stream";
}

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why) {
    throw BadInput({path, "", why});
}

std::string bytes_of(const std::string& path, std::size_t bytes_max) {
    auto read = read_text(path, bytes_max);
    if (const auto* not_read = std::get_if<NotRead>(&read)) {
        refuse_folder(path, not_read->message);
    }
    return std::move(std::get<std::string>(read));
}

}  // namespace

PlaygroundFiles read_playground(const std::string& folder) {
    if (std::error_code none; !fs::is_regular_file(fs::path(folder) / kIndex, none)) {
        refuse_folder(folder,
                      "no playground is there; `make playground` makes one, in build/playground");
    }
    PlaygroundFiles files;
    std::size_t left = kPlaygroundBytesMax;
    std::error_code failure;
    for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        if (at->is_directory(failure)) {
            continue;
        }
        std::string bytes = bytes_of(at->path().string(), left);
        if (files.size() == kPlaygroundFilesMax || bytes.size() > left) {
            refuse_folder(folder, "more files or bytes than a playground has");
        }
        left -= bytes.size();
        files.emplace(at->path().lexically_relative(folder).generic_string(), std::move(bytes));
    }
    if (failure) {
        refuse_folder(folder, failure.message());
    }
    return files;
}

std::optional<Answer> PlaygroundAnswers::why_not(const HttpHead& head) const {
    return head.method() == http::verb::get
               ? std::nullopt
               : std::optional(refusal(405, "the playground's files are read, and no more"));
}

// Own frames are sandboxed: to the browser they are of another origin, and take scripts from here.
HttpResponse PlaygroundAnswers::answer(const HttpRequest& request) {
    std::string_view path = path_of(request.base());
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    const auto file = files_.find(path.empty() ? kIndex : path);
    if (file == files_.end()) {
        return http_response(refusal(404, "the playground has no such file"));
    }
    HttpResponse response = response_of(200, type_of(file->first), file->second);
    response.set("Cross-Origin-Resource-Policy", "cross-origin");
    return response;
}

}  // namespace lockkeeper
