#include "app/verbs.hpp"
#include "reports/listing.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

int verb_list(const Session& session) {
    session.writer->list(
        make_listing(session.registry, outside_properties(), session.options.files));
    return kExitPassed;
}

}  // namespace lockkeeper
