#include "validate/programs/properties_of_time.hpp"

namespace lockkeeper {
namespace {

// A leak is not among them: at the end of each run somebody waits until every time limit is over.
constexpr std::string_view kOfTime[] = {"over-allocation", "belief-overlap", "false-ok"};

}  // namespace

std::string properties_of_time(const OutsideWorld& world) {
    std::string names;
    for (const Property* property : world.check) {
        if (std::find(std::begin(kOfTime), std::end(kOfTime), property->name) !=
            std::end(kOfTime)) {
            names += (names.empty() ? "P" : ", P") + std::to_string(property->number) + " " +
                     std::string(property->name);
        }
    }
    return names;
}

}  // namespace lockkeeper
