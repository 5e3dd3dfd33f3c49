#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "reports/failure.hpp"
#include "reports/html_page.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/process_memory.hpp"
#include "serve/http_server.hpp"

namespace lockkeeper {
namespace {

Overlay overlay_of(const Options& options) {
    Overlay overlay;
    overlay.program = options.program;
    overlay.check = options.check;
    overlay.numbers = options.numbers;
    return overlay;
}

// A processor is left to the page.
std::size_t exploring_jobs(const Options& options) {
    return options.jobs ? jobs_of(options) : std::max<std::size_t>(2, jobs_of(options)) - 1;
}

}  // namespace

int verb_serve(const Session& session) {
    const Options& options = session.options;
    if (explorer_page().empty()) {
        throw UsageError("serve: " + std::string(why_no_pages()));
    }
    OpenedFiles files(session.registry);
    for (const InputFile& file : find_files(options.files, FileKind::kEachCase)) {
        const auto failure = failure_of(name_in_messages(file.path), [&] {
            if (!file.error.empty()) {
                throw BadInput({file.path, "", file.error});
            }
            static_cast<void>(
                files.open(value_or_throw(load_replayable(file.path)), overlay_of(options)));
        });
        if (failure) {
            session.complain(detail_of(*failure));
            return exit_code_of(*failure);
        }
    }
    Api api(files, {options.out_directory,
                    {exploring_jobs(options), options.bytes_max.value_or(memory_default())}});
    HttpServer server(api, explorer_page(), random_token());
    server.bind(options.port);
    session.out << server.address() << std::endl;
    server.listen(interrupt_requested);
    return kExitInterrupted;
}

}  // namespace lockkeeper
