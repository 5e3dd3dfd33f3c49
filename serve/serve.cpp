// SPDX-License-Identifier: Apache-2.0
#include "serve/serve.hpp"

#include <ostream>
#include <utility>

#include "model/read_text.hpp"
#include "reports/conclusion.hpp"
#include "reports/failure.hpp"
#include "reports/html_page.hpp"
#include "scenarios/bad_input.hpp"
#include "serve/http_server.hpp"
#include "serve/outside_file.hpp"

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

}  // namespace

int serve(const Registry& registry, ServeRequest request, std::ostream& out,
          const std::function<void(const std::string&)>& complain) {
    if (explorer_page().empty()) {
        throw UsageError("serve: " + std::string(why_no_pages()));
    }
    OpenedFiles files(registry);
    for (const InputFile& file : request.files) {
        const auto failure =
            failure_of(name_in_messages(file.path), [&] { open_file(files, file, request); });
        if (failure) {
            complain(detail_of(*failure));
            return exit_code_of(*failure);
        }
    }
    Api api(files, {std::move(request.out_directory), request.exploration});
    HttpServer server(api, explorer_page(), random_token());
    server.bind(request.port);
    out << server.address() << std::endl;
    server.listen(interrupt_requested);
    return kExitInterrupted;
}

}  // namespace lockkeeper
