#include "engine/report/answer_json.hpp"
#include "engine/report/explanation_report.hpp"

namespace roofcast {
namespace {

Json terms_json(const std::vector<TimeTerm>& terms) {
  Json list = Json::array();
  for (const TimeTerm& term : terms) {
    list.push_back(
        Json::object({{"name", term.name}, {"formula", term.formula}, {"time_s", term.time.count()}}));
  }
  return list;
}

Json kernel_json(const ExplainedKernel& kernel) {
  Json json = Json::object();
  json["layer"] = kernel.layer;
  json["op"] = kernel.op;
  json["phase"] = kernel.phase;
  json["kernel"] = kernel.kernel;
  json["family"] = kernel.family;
  json["form"] = kernel.form;
  json["arithmetic"] = text_or_null(kernel.arithmetic);
  json["inputs"] = kernel.inputs;
  json["outputs"] = kernel.outputs;
  json["count"] = kernel.count;
  json["parameters"] = kernel.parameters;
  json["macs"] = json_number(kernel.macs);
  json["flops"] = json_number(kernel.flops);
  json["other_operations"] = json_number(kernel.other_operations);
  json["executed_macs"] = json_number(kernel.executed_macs);
  json["read_bytes"] = json_number(kernel.read.value);
  json["written_bytes"] = json_number(kernel.written.value);
  json["intensity_flops_per_byte"] = json_number(kernel.intensity);
  json["time_s"] = kernel.time.count();
  json["total_time_s"] = kernel.time.count() * static_cast<double>(kernel.count);
  json["bound"] = to_string(kernel.bound);
  json["evidence"] = to_string(kernel.evidence);
  json["terms"] = terms_json(kernel.terms);
  return json;
}

}  // namespace

std::string explanation_json(const Explanation& explanation, std::string_view tool_version) {
  Json kernels = Json::array();
  for (const ExplainedKernel& kernel : explanation.kernels) kernels.push_back(kernel_json(kernel));
  Json json = Json::object();
  json["schema_version"] = 1;
  json["tool_version"] = tool_version;
  json["hw_name"] = explanation.hw_name;
  json["parameters"] = explanation.parameters;
  json["macs"] = json_number(explanation.macs);
  json["flops"] = json_number(explanation.flops);
  json["assumptions"] = explanation.assumptions;
  json["result"] = row_json(explanation.row, false);
  json["kernels"] = std::move(kernels);
  return dumped(json);
}

}  // namespace roofcast
