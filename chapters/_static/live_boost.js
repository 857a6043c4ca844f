// Train AdaBoost.alpha: the library's loop over stumps, and kernel replay, which looks at all examples after each round.
live.figures.boost = function (root, kernels, data) {
  "use strict";
  const KINDS = data.kinds, n = data.n, d = data.d, MOST = data.rounds[data.rounds.length - 1];
  const bits = live.decode(data.x), truth = live.decode(data.y), kind = live.decode(data.kind);
  const turns = data.turns.map(text => new Uint16Array(live.decode(text).buffer));  // orders in which labels are flipped
  const positive = (i, f) => (bits[(i * d + f) >> 3] >> ((i * d + f) & 7)) & 1;
  const panel = draw.controls([
    { key: "noise", label: "labels flipped", values: Array.from({ length: 41 }, (_, i) => i), start: 10, show: v => `${v} %` },
    { key: "alpha", label: "α of the loss", values: data.alphas, start: 2 },
    { key: "rounds", label: "rounds", values: data.rounds, start: 500 },
    { key: "step", label: "step rule", options: { adaboost: "AdaBoost’s: ½ log((1−ε)/ε)", alpha: "longer: α log((1−ε)/ε)" }, start: "adaboost" },
    { key: "draw", label: "which labels", options: Object.fromEntries(turns.map((_, i) => [i, `draw ${i + 1}`])), start: "0" },
  ], "boost", () => { stop(); soon(); });
  const { values, where } = panel;
  const accuracy = draw.axes({ x: [0, Math.log10(MOST)], y: [0.4, 1.02], title: "Accuracy on true labels", xlabel: "rounds", ylabel: "accuracy", ticksX: [1, 10, 100, MOST].map(t => [Math.log10(t), t]), ticksY: [0.4, 0.6, 0.8, 1] });
  const weights = draw.axes({ x: [-1, 1], y: [0, 1.05], title: "Weight of each example", xlabel: "margin on the given label / largest", ylabel: "weight / largest" });
  const voice = draw.voice(), STYLES = ["k0", "k1", "k2"], SHAPES = ["circle", "square", "triangle"];
  let stop = () => {}, at = null, model = null;

  // Rows of the first class come first, as in the library's loop; signs are kept feature by feature.
  function train(noise, alpha, rounds, rule, turn) {
    const given = truth.slice();
    for (let i = 0; i < Math.round(noise * n); i++) given[turn[i]] ^= 1;
    const order = [...given.keys()].sort((a, b) => given[a] - given[b] || a - b), zeros = given.reduce((s, v) => s + (v === 0), 0);
    const signs = live.fill(new Int8Array(d * n), d, n), kinds = Uint8Array.from(order, i => kind[i]);
    for (let f = 0; f < d; f++) order.forEach((row, i) => { signs[f * n + i] = positive(row, f) ? 1 : -1; });
    const label = Float64Array.from(order, i => given[i] ? 1 : -1), right = Float64Array.from(order, i => truth[i] ? 1 : -1);
    const k = data.alphas.indexOf(alpha), exponent = data.exponents[k], factor = rule === "alpha" ? data.factors[k] : 1;
    const record = live.fill(new Float64Array(10 * (rounds + 1)), 10, rounds + 1), base = new Float64Array(n).fill(1), odds = base.slice(), raw = base.slice(), weight = base.slice();
    const begin = performance.now();
    kernels.weigh_odds(exponent, odds, base, raw, weight, record, 0);
    const done = kernels.stump_rounds(signs, zeros, base, 0, exponent, factor, 0, rounds, record, odds, raw, weight), ms = performance.now() - begin;
    const size = [0, 0, 0];
    kind.forEach(i => { size[i]++; });
    return { done, far: done < rounds && record[done] !== 0, record, rounds, odds, signs, label, truth: right, kinds, exponent, size, ms, wrong: Array.from(label, (v, i) => v !== right[i]) };
  }
  // scores, weights and curves after some of its rounds
  function look(m, upto) {
    const score = new Float64Array(n), weight = new Float64Array(n), right = live.fill(new Float64Array(3 * m.rounds), 3, m.rounds);
    kernels.replay(m.signs, m.label, m.truth, m.kinds, m.record, 0, upto, m.exponent, score, weight, right);
    const curves = KINDS.map((_, k) => right.subarray(k * m.rounds, k * m.rounds + upto));
    return { score, weight, curves };
  }

  function drawAccuracy(m, { curves }) {
    const upto = curves[0].length, places = [];
    for (let t = 0, last = -1; t < upto; t++) {
      const x = Math.log10(t + 1);
      if (x - last > 0.004 || t === upto - 1) { places.push(t); last = x; }
    }
    const xs = places.map(t => Math.log10(t + 1));
    const all = places.map(t => curves.reduce((s, c) => s + c[t], 0) / n);
    accuracy.show(accuracy.line(xs, all, "all") + curves.map((c, k) => accuracy.line(xs, places.map(t => c[t] / m.size[k]), STYLES[k])).join("")
      + (upto < m.done ? `<line class="cursor" x1="${accuracy.sx(Math.log10(upto))}" x2="${accuracy.sx(Math.log10(upto))}" y1="${accuracy.sy(0.4)}" y2="${accuracy.sy(1.02)}"/>` : ""));
  }
  function drawWeights(m, { score, weight }, reach) {
    const top = weight.reduce((a, b) => Math.max(a, b), 0) || 1, seen = new Map();
    score.forEach((s, i) => {
      const x = weights.sx(m.label[i] * s / reach), y = weights.sy(weight[i] / top), id = [x.toFixed(0), y.toFixed(0), m.kinds[i], m.wrong[i]].join();
      const dot = seen.get(id) || { x, y, k: m.kinds[i], wrong: m.wrong[i], count: 0 };
      dot.count++;
      seen.set(id, dot);
    });
    weights.show([...seen.values()].sort((a, b) => b.count - a.count).map(o => draw.mark(SHAPES[o.k], o.x, o.y, Math.min(9, 2.2 + 0.5 * Math.sqrt(o.count)).toFixed(1), `dot ${STYLES[o.k]} ${o.wrong ? "flipped" : ""}`)).join(""));
  }
  const widest = ({ score }) => score.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);

  function show() {
    const { noise, alpha, rounds, step } = values;
    model = train(noise / 100, alpha, rounds, step, turns[+values.draw]);
    root.dataset.ms = model.ms;
    if (!model.done) { voice.say("No stump is better than chance."); return; }
    const seen = look(model, model.done);
    at = model.done;
    drawAccuracy(model, seen);
    drawWeights(model, seen, widest(seen));
    tell(seen);
  }
  function tell({ curves, weight }) {
    const t = at - 1, all = curves.reduce((s, c) => s + c[t], 0) / n, sum = weight.reduce((a, b) => a + b, 0) || 1;
    const bad = weight.reduce((s, w, i) => s + (model.wrong[i] ? w : 0), 0), flipped = model.wrong.filter(Boolean).length;
    voice.say(`After ${at} rounds ${draw.number(100 * all)} % right: ${KINDS.map((name, k) => `${name} ${draw.number(100 * curves[k][t] / model.size[k])} %`).join(", ")}. The ${flipped} flipped labels, ${draw.number(100 * flipped / n, 2)} % of all, hold ${draw.number(100 * bad / sum, 2)} % of the weight.${model.far ? " Here the scores leave the range in which this loop works." : model.done < values.rounds ? " No stump is better than chance any more." : ""} Trained here in ${draw.number(model.ms, 2)} ms.`);
  }
  const soon = draw.soon(show);

  // round by round, ever faster: as many frames for rounds 1 to 10 as for 10 to 100
  function play() {
    stop();
    if (!model.done) return;
    const m = model, last = look(m, m.done), reach = widest(last), begin = performance.now();
    const end = () => { at = m.done; drawAccuracy(m, last); drawWeights(m, last, reach); tell(last); };
    let before = 0;
    stop = draw.animate(now => {
      const upto = Math.max(1, Math.floor(Math.pow(m.done, Math.min(1, (now - begin) / 6000))));
      if (now - begin >= 6000) { end(); return false; }
      if (upto !== before) { const seen = look(m, upto); at = before = upto; drawAccuracy(m, seen); drawWeights(m, seen, reach); root.dataset.round = upto; }
      return true;
    }, end);
  }
  panel.button("play the rounds", play);
  panel.button("stop", () => stop());
  panel.button("start again", panel.reset);
  root.append(panel.bar, ...voice.elements, draw.panels(
    [accuracy.svg, draw.key([...KINDS.map((name, k) => [name, STYLES[k]]), ["all", "all"]])],
    [weights.svg, draw.key([...KINDS.map((name, k) => [name, `dot ${STYLES[k]}`, SHAPES[k]]), ["label flipped", "dot k0 flipped", "circle"]])]));
  show();
  if (where.get("play")) play();
  return { train, look, turns, show, play };
};
