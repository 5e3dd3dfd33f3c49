// SPDX-License-Identifier: Apache-2.0
#include "serve/serve.hpp"

#include <poll.h>
#include <sys/ioctl.h>

#include <ostream>
#include <utility>

#include "model/read_text.hpp"
#include "reports/writer.hpp"
#include "scenarios/bad_input.hpp"
#include "serve/http_answers.hpp"
#include "serve/http_playground.hpp"
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

}  // namespace lockkeeper
