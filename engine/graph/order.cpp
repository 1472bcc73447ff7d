// Nodes in execution order. Boost.Graph sorts the nodes of each region; a region inside of another counts as
// one vertex.

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <functional>
#include <map>
#include <queue>

#include "engine/graph/graph.hpp"

namespace roofcast {
namespace {

using Dependencies = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// A vertex of one level: a node, or a region with everything in it.
struct Item {
  int node = -1;
  RegionId region = no_region;
};

class Orderer {
 public:
  explicit Orderer(const Graph& graph) : graph_(graph), producer_(graph.values.size(), Item{}) {
    for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
      for (const ValueId value : node(i).outputs)
        producer_[static_cast<std::size_t>(value)] = {i, node(i).region};
    }
    for (RegionId id = 0; id < static_cast<RegionId>(graph.regions.size()); ++id) {
      const Region& region = graph.regions[static_cast<std::size_t>(id)];
      for (const Carry& carry : region.carries) region_result_[carry.result] = id;
    }
  }

  Result<std::vector<int>> order() {
    if (auto problem = visit(no_region); !problem.empty()) return tl::make_unexpected(std::move(problem));
    return std::move(order_);
  }

 private:
  const Node& node(int index) const { return graph_.nodes[static_cast<std::size_t>(index)]; }
  RegionId parent(RegionId region) const { return graph_.regions[static_cast<std::size_t>(region)].parent; }

  // The vertex of `level` that a node or region is part of, or none if it lies elsewhere.
  std::optional<Item> item_at(RegionId level, Item item) const {
    RegionId region = item.node >= 0 ? item.region : parent(item.region);
    while (region != level) {
      if (region == no_region) return std::nullopt;
      item = {-1, region};
      region = parent(region);
    }
    return item;
  }

  std::optional<Item> producer_at(RegionId level, ValueId value) const {
    if (const auto found = region_result_.find(value); found != region_result_.end()) {
      return item_at(level, {-1, found->second});
    }
    const Item& producer = producer_[static_cast<std::size_t>(value)];
    if (producer.node < 0) return std::nullopt;  // an input, or what a region hands in
    return item_at(level, producer);
  }

  Diagnostics visit(RegionId level) {
    std::vector<Item> items;
    std::map<int, std::size_t> of_node;
    std::map<RegionId, std::size_t> of_region;
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); ++i) {
      if (node(i).region == level) {
        of_node[i] = items.size();
        items.push_back({i, level});
      }
    }
    for (RegionId id = 0; id < static_cast<RegionId>(graph_.regions.size()); ++id) {
      if (parent(id) == level) {
        of_region[id] = items.size();
        items.push_back({-1, id});
      }
    }
    const auto vertex = [&](const Item& item) {
      return item.node >= 0 ? of_node.at(item.node) : of_region.at(item.region);
    };

    Dependencies dependencies(items.size());
    const auto depend = [&](const Item& consumer, ValueId value) {
      const auto producer = producer_at(level, value);
      if (!producer) return;
      const std::size_t from = vertex(*producer);
      const std::size_t to = vertex(consumer);
      if (from != to || consumer.node >= 0) boost::add_edge(from, to, dependencies);
    };
    for (const Item& item : items) {
      if (item.node >= 0) {
        for (const ValueId value : node(item.node).inputs) depend(item, value);
      } else {
        for (const Carry& carry : graph_.regions[static_cast<std::size_t>(item.region)].carries) {
          depend(item, carry.initial);
        }
      }
    }
    // What the nodes deep inside of a region read from this level.
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); ++i) {
      if (node(i).region == level) continue;
      const auto consumer = item_at(level, {i, node(i).region});
      if (!consumer) continue;
      for (const ValueId value : node(i).inputs) {
        const auto producer = producer_at(level, value);
        if (producer && vertex(*producer) != vertex(*consumer)) depend(*consumer, value);
      }
    }

    std::vector<std::size_t> sorted;
    try {
      boost::topological_sort(dependencies, std::back_inserter(sorted));
    } catch (const boost::not_a_dag&) {
      return cycle(items, dependencies);
    }
    // The sort alone would leave the order of unrelated vertices to the algorithm; files are easier to follow
    // in theirs.
    for (const std::size_t index : in_file_order(dependencies)) {
      if (items[index].node >= 0) {
        order_.push_back(items[index].node);
      } else if (auto problem = visit(items[index].region); !problem.empty()) {
        return problem;
      }
    }
    return {};
  }

  // Kahn's algorithm that always takes the ready vertex with the lowest number.
  static std::vector<std::size_t> in_file_order(const Dependencies& dependencies) {
    const std::size_t count = boost::num_vertices(dependencies);
    std::vector<std::size_t> missing(count);
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t v = 0; v < count; ++v) {
      missing[v] = boost::in_degree(v, dependencies);
      if (missing[v] == 0) ready.push(v);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
      const std::size_t v = ready.top();
      ready.pop();
      order.push_back(v);
      for (const auto edge : boost::make_iterator_range(boost::out_edges(v, dependencies))) {
        const std::size_t next = boost::target(edge, dependencies);
        if (--missing[next] == 0) ready.push(next);
      }
    }
    return order;
  }

  std::string name(const Item& item) const {
    return item.node >= 0 ? node(item.node).name : graph_.regions[static_cast<std::size_t>(item.region)].name;
  }

  Diagnostics cycle(const std::vector<Item>& items, const Dependencies& dependencies) const {
    std::vector<std::size_t> component(items.size());
    const std::size_t count = boost::strong_components(dependencies, component.data());
    std::vector<std::vector<std::size_t>> members(count);
    for (std::size_t v = 0; v < items.size(); ++v) members[component[v]].push_back(v);
    for (const auto& cycle : members) {
      const bool loop = cycle.size() == 1 && boost::edge(cycle[0], cycle[0], dependencies).second;
      if (cycle.size() < 2 && !loop) continue;
      std::string names;
      constexpr std::size_t most_names = 8;
      for (std::size_t i = 0; i < std::min(cycle.size(), most_names); ++i) {
        names += fmt::format("{}'{}'", i == 0 ? "" : ", ", name(items[cycle[i]]));
      }
      if (cycle.size() > most_names) names += fmt::format(" and {} more", cycle.size() - most_names);
      const Item& first = items[cycle[0]];
      const Location where = first.node >= 0 ? node(first.node).where
                                             : graph_.regions[static_cast<std::size_t>(first.region)].where;
      return {{where, fmt::format("nodes feed each other in a cycle: {}", names),
               "what repeats is a block with 'repeat', not a cycle"}};
    }
    return {{{graph_.file, 0, 0}, "nodes feed each other in a cycle", {}}};
  }

  const Graph& graph_;
  std::vector<Item> producer_;
  std::map<ValueId, RegionId> region_result_{};
  std::vector<int> order_{};
};

}  // namespace

Result<std::vector<int>> execution_order(const Graph& graph) {
  return Orderer(graph).order();
}

}  // namespace roofcast
