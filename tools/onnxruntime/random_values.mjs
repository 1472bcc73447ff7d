// Random values for weights and inputs: what is measured does not depend on them as long as they stay finite
// and do not become so small that processors slow down.

import fs from "node:fs";
import path from "node:path";

/// Bytes of a value, and names in ONNX Runtime, by TensorProto.DataType.
export const types = {
  1: {name: "float32", bytes: 4, array: Float32Array},
  2: {name: "uint8", bytes: 1, array: Uint8Array},
  3: {name: "int8", bytes: 1, array: Int8Array},
  6: {name: "int32", bytes: 4, array: Int32Array},
  7: {name: "int64", bytes: 8, array: BigInt64Array},
  9: {name: "bool", bytes: 1, array: Uint8Array},
  10: {name: "float16", bytes: 2, array: Uint16Array},
  11: {name: "float64", bytes: 8, array: Float64Array},
};

// The same values each time: a linear congruential generator (Numerical Recipes).
let state = 1;
function uniform() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}

// A prime number of values in [-1, 1], which large tensors repeat.
const pattern = Float32Array.from({length: 65521}, () => 2 * uniform() - 1);

export const elements = (dims) => dims.reduce((product, size) => product * size, 1);

/// Weights keep the size of what they multiply: uniform with a deviation of 1 / sqrt(fan-in). Vectors, which
/// are scales, variances and biases, lie in [0.5, 1.5]. Whole numbers are 0: they may be places in tables.
function weights(tensor) {
  const type = types[tensor.type];
  if (!type) throw new Error(`weight '${tensor.name}' is of type ${tensor.type}, which is not known here`);
  const count = elements(tensor.dims);
  const values = new type.array(count);
  if (type.name === "float16") return values.fill(0x2400);  // 2^-6
  if (!type.name.startsWith("float")) return values;
  const vector = tensor.dims.length < 2;
  const scale = vector ? 0.5 : Math.sqrt((3 * tensor.dims[0]) / count);
  for (let i = 0; i < count; ++i) values[i] = scale * pattern[i % pattern.length] + (vector ? 1 : 0);
  return values;
}

/// Writes the files that `external` tensors point at into `folder`.
export function writeWeights(external, folder) {
  const files = new Map();
  for (const tensor of external) {
    const name = tensor.external.location;
    if (path.isAbsolute(name) || name.split("/").includes("..")) throw new Error(`weights lie outside: ${name}`);
    if (!files.has(name)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), {recursive: true});
      files.set(name, fs.openSync(path.join(folder, name), "w"));
    }
    const values = weights(tensor);
    const bytes = Buffer.from(values.buffer);
    const first = Number(tensor.external.offset ?? 0);
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(files.get(name), bytes, at, undefined, first + at);
  }
  for (const file of files.values()) fs.closeSync(file);
}

/// Values of an input: reals in [-1, 1]; whole numbers are 1, a token and a mask that lets pass.
export function inputValues(type, count) {
  const values = new type.array(count);
  if (type.name === "float16") return values.fill(0x3800);  // 0.5
  if (type.name === "int64") return values.fill(1n);
  if (!type.name.startsWith("float")) return values.fill(1);
  for (let i = 0; i < count; ++i) values[i] = pattern[i % pattern.length];
  return values;
}
