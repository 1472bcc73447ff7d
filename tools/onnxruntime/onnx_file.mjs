// What a measurement needs to know of an ONNX file: its inputs, and the weights that lie in other files.
// Field numbers are those of onnx.proto (github.com/onnx/onnx); wire types those of Protocol Buffers.

/// Calls visit(field, value) for each field of a message: a number, or the bytes of what has a length.
function eachField(bytes, visit) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("not an ONNX file: it ends within a number");
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const wire = key % 8;
    const field = Math.floor(key / 8);
    if (wire === 0) {
      visit(field, varint());
    } else if (wire === 1) {
      visit(field, view.getFloat64(at, true));
      at += 8;
    } else if (wire === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new Error("not an ONNX file: a field is longer than the file");
      visit(field, bytes.subarray(at, at + length));
      at += length;
    } else if (wire === 5) {
      visit(field, view.getFloat32(at, true));
      at += 4;
    } else {
      throw new Error(`not an ONNX file: wire type ${wire}`);
    }
  }
}

const text = (bytes) => new TextDecoder().decode(bytes);

function numbers(value) {
  if (typeof value === "number") return [value];
  const list = [];  // packed: as a message of one repeated field without keys
  let number = 0;
  let factor = 1;
  for (const byte of value) {
    number += (byte & 127) * factor;
    factor *= 128;
    if (byte >= 128) continue;
    list.push(number);
    number = 0;
    factor = 1;
  }
  return list;
}

/// TensorProto: type, sizes and, if its data is elsewhere, where.
function readTensor(bytes) {
  const tensor = {name: "", type: 0, dims: [], external: null};
  eachField(bytes, (field, value) => {
    if (field === 1) tensor.dims.push(...numbers(value));
    if (field === 2) tensor.type = value;
    if (field === 8) tensor.name = text(value);
    if (field === 13) {
      const entry = {key: "", value: ""};
      eachField(value, (part, content) => {
        entry[part === 1 ? "key" : "value"] = text(content);
      });
      tensor.external = {...tensor.external, [entry.key]: entry.value};
    }
  });
  return tensor;
}

/// ValueInfoProto: element type and sizes, of which open ones are names.
function readInput(bytes) {
  const input = {name: "", type: 0, dims: []};
  eachField(bytes, (field, value) => {
    if (field === 1) input.name = text(value);
    if (field !== 2) return;
    eachField(value, (kind, tensor) => {
      if (kind !== 1) return;  // a sequence, a map
      eachField(tensor, (part, content) => {
        if (part === 1) input.type = content;
        if (part !== 2) return;
        eachField(content, (_, dimension) => {
          let size = "?";
          eachField(dimension, (which, known) => {
            size = which === 1 ? known : which === 2 ? text(known) : size;
          });
          input.dims.push(size);
        });
      });
    });
  });
  return input;
}

/// Graphs may hold graphs: branches and bodies of loops are attributes of nodes.
function readGraph(bytes, model) {
  const initializers = new Set();
  const inputs = [];
  eachField(bytes, (field, value) => {
    if (field === 5) {
      const tensor = readTensor(value);
      initializers.add(tensor.name);
      if (tensor.external) model.external.push(tensor);
    }
    if (field === 11) inputs.push(readInput(value));
    if (field !== 1) return;
    eachField(value, (part, attribute) => {
      if (part !== 5) return;
      eachField(attribute, (which, content) => {
        if (which === 6) readGraph(content, model);
        if (which !== 5) return;
        const constant = readTensor(content);
        if (constant.external) model.external.push(constant);
      });
    });
  });
  return inputs.filter((input) => !initializers.has(input.name));
}

/// { inputs: [{name, type, dims}], external: [{name, type, dims, external: {location, offset, length}}] }
export function readModel(bytes) {
  if (bytes.length === 0) throw new Error("not an ONNX file: it is empty");
  const model = {inputs: [], external: []};
  eachField(bytes, (field, value) => {
    if (field === 7) model.inputs = readGraph(value, model);
  });
  return model;
}
