#include "app/verbs.hpp"
#include "reports/listing.hpp"

namespace lockkeeper {

int verb_list(const Session& session) {
    session.writer->list(make_listing(session.registry, session.options.files));
    return kExitPassed;
}

}  // namespace lockkeeper
