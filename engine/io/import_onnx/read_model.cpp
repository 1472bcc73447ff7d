#include "engine/io/import_onnx/read_model.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <unistd.h>

#include <limits>
#include <system_error>

namespace roofcast::onnx {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Walks the levels that hold weights by hand and leaves everything below to the generated readers.
class Reader {
 public:
  explicit Reader(CodedInputStream& stream) : stream_(stream) {
    constexpr int deepest = 64;
    stream_.SetRecursionLimit(deepest);
  }

  bool read(Model& model) {
    while (const std::uint32_t tag = stream_.ReadTag()) {
      bool ok = true;
      switch (WireFormatLite::GetTagFieldNumber(tag)) {
        case Model::kGraphFieldNumber:
          ok = within(tag, [&] { return read_graph(*model.mutable_graph()); });
          break;
        case Model::kOpsetImportFieldNumber: ok = message(tag, *model.add_opset_import()); break;
        case Model::kFunctionsFieldNumber: ok = message(tag, *model.add_functions()); break;
        case Model::kProducerNameFieldNumber: ok = text(tag, *model.mutable_producer_name()); break;
        case Model::kProducerVersionFieldNumber: ok = text(tag, *model.mutable_producer_version()); break;
        default: ok = WireFormatLite::SkipField(&stream_, tag);
      }
      if (!ok) return false;
    }
    return stream_.BytesUntilLimit() == 0;
  }

  bool too_large() const { return too_large_; }

 private:
  // Reads the length of a message and what `body` makes of it; all of it must be used up.
  template <class Body>
  bool within(std::uint32_t tag, Body&& body) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) return false;
    int length = 0;
    if (!stream_.ReadVarintSizeAsInt(&length)) return false;
    const auto limit = stream_.PushLimit(length);
    if (stream_.BytesUntilLimit() < length) return false;  // reaches beyond the message around it
    const bool ok = body() && stream_.BytesUntilLimit() == 0;
    stream_.PopLimit(limit);
    return ok;
  }

  template <class Message>
  bool message(std::uint32_t tag, Message& into) {
    return within(tag, [&] {
      message_bytes_ += stream_.BytesUntilLimit();
      too_large_ = too_large_ || message_bytes_ > most_message_bytes;
      return !too_large_ && into.MergePartialFromCodedStream(&stream_);
    });
  }

  bool text(std::uint32_t tag, std::string& into) {
    int length = 0;
    return WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED &&
           stream_.ReadVarintSizeAsInt(&length) && length <= most_content_bytes &&
           stream_.ReadString(&into, length);
  }

  bool read_graph(Graph& graph) {
    while (const std::uint32_t tag = stream_.ReadTag()) {
      bool ok = true;
      switch (WireFormatLite::GetTagFieldNumber(tag)) {
        case Graph::kNodeFieldNumber: ok = message(tag, *graph.add_node()); break;
        case Graph::kNameFieldNumber: ok = text(tag, *graph.mutable_name()); break;
        case Graph::kInitializerFieldNumber:
          ok = within(tag, [&] { return read_tensor(*graph.add_initializer()); });
          break;
        case Graph::kSparseInitializerFieldNumber: ok = message(tag, *graph.add_sparse_initializer()); break;
        case Graph::kInputFieldNumber: ok = message(tag, *graph.add_input()); break;
        case Graph::kOutputFieldNumber: ok = message(tag, *graph.add_output()); break;
        case Graph::kValueInfoFieldNumber: ok = message(tag, *graph.add_value_info()); break;
        default: ok = WireFormatLite::SkipField(&stream_, tag);
      }
      if (!ok) return false;
    }
    return true;
  }

  // Small fields go to the generated reader; content above the limit is skipped.
  bool read_tensor(Tensor& tensor) {
    std::string kept;
    {
      google::protobuf::io::StringOutputStream bytes(&kept);
      google::protobuf::io::CodedOutputStream copy(&bytes);
      while (const std::uint32_t tag = stream_.ReadTag()) {
        if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
          if (!WireFormatLite::SkipField(&stream_, tag, &copy)) return false;
          continue;
        }
        int length = 0;
        if (!stream_.ReadVarintSizeAsInt(&length)) return false;
        if (length > stream_.BytesUntilLimit()) return false;
        if (length > most_content_bytes) {
          if (!stream_.Skip(length)) return false;
          continue;
        }
        std::string field;
        if (!stream_.ReadString(&field, length)) return false;
        message_bytes_ += length;
        copy.WriteTag(tag);
        copy.WriteVarint32(static_cast<std::uint32_t>(length));
        copy.WriteString(field);
      }
    }
    too_large_ = too_large_ || message_bytes_ > most_message_bytes;
    return !too_large_ && tensor.ParsePartialFromString(kept);
  }

  CodedInputStream& stream_;
  std::int64_t message_bytes_ = 0;
  bool too_large_ = false;
};

Result<Model> read(google::protobuf::io::ZeroCopyInputStream& bytes, std::int64_t size,
                   const Location& where) {
  if (size > std::numeric_limits<int>::max()) {
    return fail(fmt::format("has {} bytes; an ONNX file has at most 2 GiB", size), where,
                "larger models keep their weights in files of their own (external data)");
  }
  CodedInputStream stream(&bytes);
  stream.PushLimit(
      static_cast<int>(size));  // so that no length reaches beyond the end, even of what is skipped
  Reader reader(stream);
  Model model;
  if (!reader.read(model)) {
    if (reader.too_large()) {
      return fail(fmt::format("has more than {} MiB besides its weights", most_message_bytes >> 20U), where,
                  "export large constants as initializers");
    }
    return fail("is no ONNX file, or is cut off or damaged", where,
                "does `onnx.checker` accept it? was it copied completely?");
  }
  if (!model.has_graph()) return fail("holds no ONNX graph", where, "is it an ONNX model?");
  return model;
}

}  // namespace

Result<Model> parse_model(std::string_view bytes, const std::string& file) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return read(stream, static_cast<std::int64_t>(bytes.size()), {.file = file});
}

Result<Model> read_model(const std::filesystem::path& path) {
  const Location where{.file = path.string()};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return fail("no such file", where);
  if (!std::filesystem::is_regular_file(status)) return fail("is not a regular file", where);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error) return fail(fmt::format("cannot read its size: {}", error.message()), where);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail("cannot be opened for reading", where, "check its permissions");
  google::protobuf::io::FileInputStream stream(descriptor);
  auto model = read(stream, size, where);
  ::close(descriptor);
  return model;
}

}  // namespace roofcast::onnx
