#pragma once
// A device that can run probes. Each kind has a folder of its own; kernels/backend_list.cpp lists them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/diagnostics.hpp"
#include "engine/base/units.hpp"
#include "kernels/probe.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {

/// What the device and its software say about themselves.
struct DeviceFacts {
  std::string name{};       ///< "AMD EPYC 7402P 24-Core Processor"
  std::string vendor{};     ///< "amd"
  std::string driver{};     ///< of a CPU: the operating system's kernel
  std::string libraries{};  ///< with their versions
  int units = 0;            ///< SMs, or cores
  Hertz clock{};            ///< under load, measured when the backend was opened
  Bytes memory{};
  Bytes usable{};             ///< what a program can allocate now
  Bytes last_level_cache{};   ///< all of it; 0 if it is not known
  Bytes first_level_cache{};  ///< of one unit; 0 if it is not known

  FlopsPerSecond multiply_adds{};  ///< fp32 on vector units, operands in registers; 0 if it was not measured
};

/// How the device is between two timings, as far as it tells.
struct DeviceCondition {
  std::optional<Watts> power{};
  bool throttled = false;  ///< power, heat or a brake holds its clock down
};

/// Operands and results of one probe, on the device.
class Prepared {
 public:
  Prepared() = default;
  virtual ~Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// Runs once and compares with a plain reference in double precision. Fails with what is wrong.
  virtual Result<void> verify() = 0;

  /// Runs so many times back to back. The device's own clock says how long all of them took.
  virtual Result<Seconds> run(std::int64_t times) = 0;

  /// Which implementation a library has chosen; empty if there is only one.
  virtual std::string algorithm() const { return {}; }
};

class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual const DeviceFacts& device() const = 0;
  virtual ProbeLimits limits() const = 0;

  /// What `prepare` would allocate.
  virtual Bytes footprint(const Probe& probe) const = 0;

  /// Allocates and fills inputs with normal random numbers: never zeros, with which units draw less power.
  virtual Result<std::unique_ptr<Prepared>> prepare(const Probe& probe) = 0;

  /// The clock at this moment; empty if the device does not tell.
  virtual std::optional<Hertz> clock_now() = 0;

  virtual DeviceCondition condition_now() { return {}; }

  /// Whether an error has left the device's process unable to go on.
  virtual bool is_lost() { return false; }
};

}  // namespace roofcast
