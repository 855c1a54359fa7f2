// Independent pieces of work on several threads.
#pragma once

#include "arcwise/team.hpp"

namespace arcwise {

// One batch of a team of its own, whose pieces are worth several threads; see Team::run.
template <class Work> void in_parallel(std::size_t workers, std::size_t count, const Work &work) {
    Team(workers).run(count, Team::worth_any_thread, work);
}

} // namespace arcwise
