// SPDX-License-Identifier: Apache-2.0
#include "serve/serve.hpp"

#include <poll.h>
#include <sys/ioctl.h>

#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

#include "model/read_text.hpp"
#include "reports/writer.hpp"
#include "scenarios/bad_input.hpp"
#include "serve/http_answers.hpp"
#include "serve/http_server.hpp"
#include "serve/outside_file.hpp"
#include "work/failure.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
namespace {

void open_file(OpenedFiles& files, const InputFile& file, const ServeRequest& request) {
    if (!file.error.empty()) {
        throw BadInput({file.path, "", file.error});
    }
    if (request.outside) {
        files.open(std::make_shared<OutsideFile>(request.outside(file.path)));
    } else {
        files.open(value_or_throw(load_replayable(file.path)), request.overlay);
    }
}

// Whether the reader of this pipe went away with bytes still in it. False: it is no pipe, somebody
// reads it, or it was read to its end.
bool is_left_unread(int pipe) {
    pollfd look{pipe, 0, 0};
    int left = 0;
    return poll(&look, 1, 0) == 1 && (look.revents & POLLERR) != 0 &&
           ioctl(pipe, FIONREAD, &left) == 0 && left > 0;
}

// Prints the address, and answers until an interrupt, or until nobody can read the address any
// more.
int answer_all(HttpAnswers& answers, int port, std::ostream& out, int out_descriptor,
               const std::function<void(const std::string&)>& complain) {
    HttpServer server(answers);
    server.bind(port);
    out << server.address() << std::endl;
    bool is_unknown = false;
    server.listen([&] {
        is_unknown = !out || is_left_unread(out_descriptor);
        return is_unknown || interrupt_requested();
    });
    if (is_unknown) {
        complain("stdout was closed before the address was read, so that nobody knows it");
    }
    return kExitInterrupted;
}

}  // namespace

int serve(const Registry& registry, ServeRequest request, std::ostream& out,
          const std::function<void(const std::string&)>& complain) {
    if (explorer_page().empty()) {
        throw UsageError("serve: " + std::string(why_no_pages()));
    }
    OpenedFiles files(registry, request.overlay.states_max);
    for (const InputFile& file : request.files) {
        const auto failure =
            failure_of(name_in_messages(file.path), [&] { open_file(files, file, request); });
        if (interrupt_requested()) {
            complain("interrupted before all files were open");
            return kExitInterrupted;
        }
        if (failure) {
            complain(detail_of(*failure));
            return exit_code_of(*failure);
        }
    }
    Api api(files, {std::move(request.out_directory), request.exploration});
    ExplorerAnswers answers(api, explorer_page(), random_token());
    return answer_all(answers, request.port, out, request.out_descriptor, complain);
}

int serve_playground(const PlaygroundRequest& request, std::ostream& out,
                     const std::function<void(const std::string&)>& complain) {
    PlaygroundAnswers answers(read_playground(request.folder));
    return answer_all(answers, request.port, out, request.out_descriptor, complain);
}

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
