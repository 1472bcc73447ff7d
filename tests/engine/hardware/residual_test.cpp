#include "engine/hardware/residual.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

const Residual one_point{.length = 2, .points = {{10, 11, 12, 0}}, .weights = {0.3}};

TEST_CASE("correction: the weight at its point, nothing without points") {
  CHECK(correction(one_point, {10, 11, 12, 0}) == close_to(0.3, 1e-3));
  CHECK(correction({}, {10, 11, 12, 0}) == 0);
}

TEST_CASE("correction: one length away it has fallen to (1 + sqrt 3) exp(-sqrt 3)") {
  const double expected = 0.3 * (1 + std::sqrt(3.0)) * std::exp(-std::sqrt(3.0));

  CHECK(correction(one_point, {12, 11, 12, 0}) == close_to(expected, 1e-3));
  CHECK(correction(one_point, {10, 11, 12, 2}) == close_to(expected, 1e-3));
  CHECK(correction(one_point, {11, 12, 13, 1}) == close_to(expected, 1e-3));  // a length of 2 in the diagonal
}

TEST_CASE("correction: far away there is none") {
  CHECK(correction(one_point, {30, 11, 12, 0}) == 0);
  CHECK(std::abs(correction(one_point, {18, 11, 12, 0})) < 0.003);
}

TEST_CASE("correction: points add up, within bounds") {
  const Residual two{.length = 2, .points = {{10, 10, 10, 0}, {10, 10, 10, 0}}, .weights = {0.3, -0.1}};
  const Residual large{.length = 2, .points = {{10, 10, 10, 0}}, .weights = {3}};
  const Residual small{.length = 2, .points = {{10, 10, 10, 0}}, .weights = {-3}};

  CHECK(correction(two, {10, 10, 10, 0}) == close_to(0.2, 1e-3));
  CHECK(correction(large, {10, 10, 10, 0}) == close_to(0.4));
  CHECK(correction(small, {10, 10, 10, 0}) == close_to(-0.4));
}

TEST_CASE("correction: no jump on the way from a point to far away") {
  double before = correction(one_point, {10, 11, 12, 0});
  for (double away = 0.01; away < 30; away += 0.01) {
    const double here = correction(one_point, {10 + away, 11, 12, 0});
    CHECK(std::abs(here - before) < 0.003);
    before = here;
  }
  CHECK(before == 0);
}

}  // namespace
}  // namespace roofcast
