// One function per area; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace arcwise::bindings {

void bind_budget(nanobind::module_ &module);
void bind_local_score(nanobind::module_ &module);
void bind_batches(nanobind::module_ &module);
void bind_shards(nanobind::module_ &module);
void bind_gaps(nanobind::module_ &module);
void bind_arc_rules(nanobind::module_ &module);
void bind_dags(nanobind::module_ &module);
void bind_classes(nanobind::module_ &module);
void bind_exact(nanobind::module_ &module);
void bind_independence(nanobind::module_ &module);
void bind_inference(nanobind::module_ &module);
void bind_parents(nanobind::module_ &module);
void bind_posterior(nanobind::module_ &module);
void bind_initial_orders(nanobind::module_ &module);
void bind_orders(nanobind::module_ &module);
void bind_text(nanobind::module_ &module);
void bind_trees(nanobind::module_ &module);
void bind_machine(nanobind::module_ &module);

} // namespace arcwise::bindings
