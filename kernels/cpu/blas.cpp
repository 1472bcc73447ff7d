#include "kernels/cpu/blas.hpp"

#include <cblas.h>

namespace roofcast {

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) {
  const auto rows = static_cast<blasint>(m);
  const auto columns = static_cast<blasint>(n);
  const auto depth = static_cast<blasint>(k);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1.0F, a, depth, b, columns,
              0.0F, c, columns);
}

std::string blas_version() {
  return openblas_get_config();
}

void set_blas_threads(int threads) {
  openblas_set_num_threads(threads);
}

}  // namespace roofcast
