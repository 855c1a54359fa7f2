#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled kernels of arcwise.";
#ifndef ARCWISE_DEBUG
    // At its end Python itself keeps some objects, those that typing.overload knows for instance; users need no report.
    nanobind::set_leak_warnings(false);
#endif
    arcwise::bindings::bind_budget(module);
    arcwise::bindings::bind_local_score(module);
    arcwise::bindings::bind_batches(module);
    arcwise::bindings::bind_shards(module);
    arcwise::bindings::bind_gaps(module);
    arcwise::bindings::bind_arc_rules(module);
    arcwise::bindings::bind_dags(module);
    arcwise::bindings::bind_classes(module);
    arcwise::bindings::bind_independence(module);
    arcwise::bindings::bind_inference(module);
    arcwise::bindings::bind_parents(module);
    arcwise::bindings::bind_initial_orders(module);
    arcwise::bindings::bind_orders(module);
    arcwise::bindings::bind_exact(module);
    arcwise::bindings::bind_posterior(module);
    arcwise::bindings::bind_text(module);
    arcwise::bindings::bind_trees(module);
    arcwise::bindings::bind_machine(module);
}
