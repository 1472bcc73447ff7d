#include "kernels/backend_list.hpp"

#include "kernels/cpu/cpu_backend.hpp"

namespace roofcast {
namespace {

Result<std::unique_ptr<Backend>> no_cuda() {
  return fail("backend 'cuda' is not in this build", {}, "`--backend cpu` measures the host's processor");
}

}  // namespace

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> all = {{"cpu", open_cpu_backend}, {"cuda", no_cuda}};
  return all;
}

}  // namespace roofcast
