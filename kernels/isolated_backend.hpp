#pragma once
// A backend in a process of its own: whatever happens to that process, measuring goes on.

#include <functional>
#include <memory>

#include "kernels/backend.hpp"

namespace roofcast {

/// Opens the backend in a child process, which does what it is asked for over a socket; this process never
/// touches the device. A child that ends, is lost (`Backend::is_lost`) or does not answer in time fails the
/// probe that it was busy with, and the next probe gets a new child. Times are taken in the child.
Result<std::unique_ptr<Backend>> open_isolated(std::function<Result<std::unique_ptr<Backend>>()> open,
                                               Seconds patience = Seconds{120});

}  // namespace roofcast
