// Messages are written by hand: a byte for the key (8 x field + wire type: here below 128), one for the length.

import assert from "node:assert";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";

import {readModel} from "../../../tools/onnxruntime/onnx_file.mjs";
import {writeWeights} from "../../../tools/onnxruntime/random_values.mjs";

const bytes = (field, ...content) => [8 * field + 2, content.length, ...content];
const number = (field, value) => [8 * field, value];
const text = (field, word) => bytes(field, ...Buffer.from(word));
const entry = (key, value) => bytes(13, ...text(1, key), ...text(2, value));

// A weight of 2 x 3 floats and a vector of 4, 64 bytes into weights.bin; an input [batch, 3].
const weight = [...number(1, 2), ...number(1, 3), ...number(2, 1), ...text(8, "w"),
                ...entry("location", "weights.bin"), ...number(14, 1)];
const vector = [...bytes(1, 4), ...number(2, 1), ...text(8, "b"), ...entry("location", "weights.bin"),
                ...entry("offset", "64"), ...number(14, 1)];
const input = (name, ...shape) =>
  bytes(11, ...text(1, name), ...bytes(2, ...bytes(1, ...number(1, 1), ...bytes(2, ...shape))));
const graph = [...bytes(5, ...weight), ...bytes(5, ...vector), ...input("x", ...bytes(1, ...text(2, "batch")),
                                                                       ...bytes(1, ...number(1, 3))),
               ...input("w")];
const model = Uint8Array.from([...number(1, 8), 8 * 7 + 2, 0x80 + (graph.length & 127), graph.length >> 7, ...graph]);

test("readModel: inputs with names for open sizes, weights that lie elsewhere", () => {
  const found = readModel(model);

  assert.deepEqual(found.inputs, [{name: "x", type: 1, dims: ["batch", 3]}]);  // w is a weight
  assert.deepEqual(found.external.map((tensor) => [tensor.name, tensor.dims, tensor.external.offset]),
                   [["w", [2, 3], undefined], ["b", [4], "64"]]);
});

test("readModel: what ends early is no ONNX file", () => {
  assert.throws(() => readModel(model.subarray(0, model.length - 1)), /not an ONNX file/);
  assert.throws(() => readModel(new Uint8Array()), /not an ONNX file: it is empty/);
});

test("writeWeights: finite values at their places; vectors are positive", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "onnx-file-test-"));
  try {
    writeWeights(readModel(model).external, folder);
    const data = fs.readFileSync(path.join(folder, "weights.bin"));
    const values = new Float32Array(data.buffer, data.byteOffset, data.length / 4);

    assert.equal(values.length, 16 + 4);
    assert.ok(values.slice(0, 6).every((value) => value !== 0 && Math.abs(value) <= 1));
    assert.ok(values.slice(16).every((value) => value >= 0.5 && value <= 1.5));
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
});

test("writeWeights: never outside of the folder", () => {
  const outside = {name: "w", type: 1, dims: [1, 1], external: {location: "../w.bin"}};

  assert.throws(() => writeWeights([outside], os.tmpdir()), /lie outside/);
});
