// Measures ONNX Runtime on what BenchmarkPeer measures. The arguments are the
// graph and the number of threads; it prints the best time of each case in
// milliseconds, and first how far the vector of a known text is from the
// reference.
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");
const ort = createRequire(path.join(process.cwd(), "peer"))("onnxruntime-node");

function feed(ids, texts, tokens) {
  const of = (data) => new ort.Tensor("int32", data, [texts, tokens]);
  const n = texts * tokens;
  return { ids: of(Int32Array.from(ids)), types: of(new Int32Array(n)), mask: of(new Int32Array(n).fill(1)) };
}

async function main(graph, threads) {
  const session = await ort.InferenceSession.create(graph, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
  });
  const golden = JSON.parse(fs.readFileSync(path.join(__dirname, "../testdata/minilm.json")));
  const known = [101, 2023, 2003, 2019, 2742, 6251, 102]; // its first text
  const got = (await session.run(feed(known, 1, known.length))).mean.data;
  let aa = 0, ab = 0, bb = 0;
  golden.vectors[0].forEach((v, i) => { aa += got[i] * got[i]; ab += got[i] * v; bb += v * v; });
  console.log("distance", 1 - ab / Math.sqrt(aa * bb));
  for (const texts of [1, 32]) {
    for (const tokens of [16, 32, 128]) {
      const ids = [];
      for (let i = 0; i < texts; i++) for (let j = 0; j < tokens; j++) ids.push(1000 + 97 * i + 31 * j);
      const inputs = feed(ids, texts, tokens);
      await session.run(inputs);
      let best = Infinity;
      const start = performance.now();
      for (let n = 0; n < 3 || performance.now() - start < 1000; n++) {
        const before = performance.now();
        await session.run(inputs);
        best = Math.min(best, performance.now() - before);
      }
      console.log(`${tokens}-${texts}`, best);
    }
  }
}

main(process.argv[2], Number(process.argv[3]));
