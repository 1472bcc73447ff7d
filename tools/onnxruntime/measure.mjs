// Times ONNX files in ONNX Runtime; see tools/measure_onnxruntime.

import fs from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import {parseArgs} from "node:util";

import {readModel} from "./onnx_file.mjs";
import {elements, inputValues, types, writeWeights} from "./random_values.mjs";

const usage = `usage: tools/measure_onnxruntime -o FOLDER --device-file CARD [options] FILE.onnx...
  -o, --output FOLDER   tables are written there; networks that are in them already are left out
  --device-file CARD    card file of this processor, as \`calibrate --backend cpu -o CARD\` writes it
  --threads N           of ONNX Runtime; default: one for each core
  --batch N             where a file leaves the batch open (default 1)
  --seq N               where it leaves the length of sequences open (default 128)
  --most SECONDS        of runs that count, for each network (default 3)`;

function refuse(message, hint) {
  console.error(`error: ${message}${hint ? `\n  hint: ${hint}` : ""}`);
  process.exit(2);
}

function readOptions(args) {
  const count = (name, text) => {
    if (!(Number(text) > 0)) refuse(`--${name}: '${text}' is no positive number`);
    return Number(text);
  };
  try {
    const {values, positionals} = parseArgs({
      args,
      allowPositionals: true,
      options: {
        output: {type: "string", short: "o"},
        "device-file": {type: "string"},
        threads: {type: "string", default: String(os.availableParallelism())},
        batch: {type: "string", default: "1"},
        seq: {type: "string", default: "128"},
        most: {type: "string", default: "3"},
        help: {type: "boolean", short: "h"},
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (!values.output) refuse("-o FOLDER is missing", "the tables are written there");
    if (!values["device-file"]) refuse("--device-file is missing", "`calibrate --backend cpu -o local.toml` writes one");
    if (positionals.length === 0) refuse("no ONNX file is named");
    for (const name of ["threads", "batch", "seq", "most"]) values[name] = count(name, values[name]);
    return {...values, files: positionals};
  } catch (error) {
    return refuse(error.message, "`tools/measure_onnxruntime --help` says how it is used");
  }
}

/// Sizes of an input: open ones by their names. Says which of --batch and --seq were used.
function sizes(input, options, used) {
  return input.dims.map((size, axis) => {
    if (typeof size === "number" && size > 0) return size;
    if (axis === 0 || /batch/i.test(size)) {
      used.batch = true;
      return options.batch;
    }
    if (/seq|len|token|time/i.test(size)) {
      used.seq = true;
      return options.seq;
    }
    throw new Error(`the input '${input.name}' leaves '${size}' open`);
  });
}

const seconds = () => Number(process.hrtime.bigint()) / 1e9;

/// Warm-up: 2 runs and 0.5 s. Then at least 5 runs and 1 s, at most `most` seconds, unless 5 runs take longer.
async function time(run, most) {
  for (let runs = 0, begin = seconds(); runs < 2 || seconds() - begin < 0.5; ++runs) await run();
  const times = [];
  const begin = seconds();
  for (let spent = 0; times.length < 5 || (spent < most && (spent < 1 || times.length < 50)); ) {
    const start = seconds();
    await run();
    times.push(seconds() - start);
    spent = seconds() - begin;
  }
  times.sort((left, right) => left - right);
  const at = (share) => 1e3 * times[Math.round(share * (times.length - 1))];
  return {median: at(0.5), low: at(0.1), high: at(0.9), least: at(0), runs: times.length};
}

async function measure(ort, file, options) {
  const model = readModel(fs.readFileSync(file));
  const used = {batch: false, seq: false};
  const feeds = {};
  let batch = 1;
  for (const [index, input] of model.inputs.entries()) {
    const type = types[input.type];
    if (!type) throw new Error(`the input '${input.name}' is of a type that is not known here`);
    const dims = sizes(input, options, used);
    if (index === 0 && dims.length > 0) batch = dims[0];
    feeds[input.name] = new ort.Tensor(type.name, inputValues(type, elements(dims)), dims);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "measure-onnxruntime-"));
  try {
    const copy = path.join(folder, "model.onnx");
    fs.copyFileSync(file, copy);
    writeWeights(model.external, folder);
    const session = await ort.InferenceSession.create(copy, {
      executionProviders: ["cpu"],
      graphOptimizationLevel: "all",
      intraOpNumThreads: options.threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    });
    const results = await session.run(feeds);
    const finite = Object.values(results).every(
      (result) => !(result.data instanceof Float32Array) || result.data.every(Number.isFinite));
    const timing = await time(() => session.run(feeds), options.most);
    await session.release();
    return {...timing, batch, sequence: used.seq ? options.seq : "", finite};
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
}

const columns = [
  "source", "hw", "model_key", "task", "batch_size", "latency_ms", "runtime", "storage_dtype", "compute_dtype",
  "tf32", "attention", "layout", "phase", "seq_in", "n_gpus", "usable", "reason", "notes", "framework", "threads",
  "runs", "low_ms", "high_ms", "least_ms", "date"];

const field = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const line = (values) => values.map(field).join(",") + "\n";

/// Appends to a table, with its header if it is new.
function append(file, header, values) {
  if (!fs.existsSync(file)) fs.writeFileSync(file, line(header));
  fs.appendFileSync(file, line(values));
}

/// The keys in a table's first column `column`.
function written(file, column) {
  if (!fs.existsSync(file)) return new Set();
  const rows = fs.readFileSync(file, "utf8").split("\n");
  const place = rows[0].split(",").indexOf(column);
  return new Set(rows.slice(1).map((row) => row.split(",")[place]));
}

const [cache, ...args] = process.argv.slice(2);
const options = readOptions(args);
const require = createRequire(path.join(path.resolve(cache), "package.json"));
const ort = require("onnxruntime-node");
const version = require("onnxruntime-node/package.json").version;

// A wrong path must not become a row.
const missing = [options["device-file"], ...options.files].filter((file) => !fs.existsSync(file));
if (missing.length > 0) {
  for (const file of missing) console.error(`error: ${file}: no such file`);
  process.exit(2);
}

fs.mkdirSync(options.output, {recursive: true});
const table = path.join(options.output, "networks.csv");
const card = path.resolve(options["device-file"]);
const hardware = path.basename(card, ".toml");
if (written(path.join(options.output, "devices.csv"), "hw").size === 0)
  append(path.join(options.output, "devices.csv"), ["hw", "slug"], [hardware, card]);
const known = written(path.join(options.output, "models.csv"), "model_key");
const done = written(table, "model_key");

let failed = 0;
for (const file of options.files) {
  const key = path.basename(file, ".onnx");
  if (done.has(key)) continue;
  const common = {
    source: "measure_onnxruntime", hw: hardware, model_key: key, task: "inference", runtime: "onnxruntime-cpu",
    storage_dtype: "fp32", compute_dtype: "fp32", tf32: "off", attention: "unknown", layout: "none", phase: "none",
    n_gpus: 1, framework: `onnxruntime ${version}`, threads: options.threads,
    date: new Date().toISOString().slice(0, 10)};
  let row;
  try {
    const found = await measure(ort, file, options);
    row = {...common, batch_size: found.batch, latency_ms: found.median.toPrecision(6), seq_in: found.sequence,
           usable: 1, notes: found.finite ? "" : "not finite", runs: found.runs, low_ms: found.low.toPrecision(5),
           high_ms: found.high.toPrecision(5), least_ms: found.least.toPrecision(5)};
    console.log(`${key}: ${row.latency_ms} ms (${row.low_ms} to ${row.high_ms}) over ${found.runs} runs ${row.notes}`);
  } catch (error) {
    failed += 1;
    const reason = error.message.split("\n")[0];
    row = {...common, batch_size: 1, latency_ms: "", usable: 0, reason: reason.slice(0, 200)};
    console.log(`${key}: failed: ${reason}`);
  }
  if (!known.has(key))
    append(path.join(options.output, "models.csv"), ["model_key", "file", "args", "params_m", "image_size"],
           [key, path.resolve(file), "", "", ""]);
  known.add(key);
  append(table, columns, columns.map((name) => row[name] ?? ""));
}
process.exit(failed > 0 ? 5 : 0);
