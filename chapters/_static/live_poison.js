// Poison: the reader places malicious examples; AdaBoost and SmoothBoost side by side, by kernel boost_plane.
live.figures.poison = function (root, kernels, data) {
  "use strict";
  const { clean, target, gamma, radius } = data, n0 = clean.length, ROUNDS = 500, STYLES = ["m-ada", "m-smooth"], NAMES = ["AdaBoost", "SmoothBoost"];
  const panel = draw.controls([
    { key: "kappa", label: "smoothness κ", values: data.kappas, start: 0.2 },
    { key: "aim", label: "margin aimed at θ", values: data.aims, start: data.aims[data.aim] },
    { key: "label", label: "label of the poison", options: { against: "against the target", "1": "+1", "-1": "−1" }, start: "against" },
  ], "poison", () => soon());
  const { values, where } = panel;
  const plane = draw.axes({ x: [-1.08, 1.08], y: [-1.08, 1.08], width: 360, height: 360, label: "Clean examples in the unit disc and malicious ones. Arrow keys move a cross, Enter places an example there, Backspace removes the last." });
  plane.svg.setAttribute("tabindex", 0);
  plane.svg.setAttribute("role", "application");
  const weights = draw.axes({ x: [-1, 1], y: [0, 1], title: "Weight × number of examples", xlabel: "normalised margin", ylabel: "logarithmic: 1, 10, 100, …", ticksY: [[0, "0.01"], [0.25, "0.1"], [0.5, "1"], [0.75, "10"], [1, "100"]] });
  const table = draw.node("table", { class: "numbers" }), voice = draw.voice();
  let poison = [], cursor = [0.5, -0.5];

  const angle = label => target[0] * label[0] + target[1] * label[1];
  const labelAt = (x, y) => values.label === "against" ? (angle([x, y]) > 0 ? -1 : 1) : +values.label;
  function train(extra, which, kappa, aim) {
    const all = [...clean, ...extra], n = all.length, x = live.fill(new Float64Array(2 * n), 2, n), y = Float64Array.from(all, p => p[2]);
    all.forEach((p, i) => { x[i] = p[0]; x[n + i] = p[1]; });
    const hypothesis = new Float64Array(2), margin = new Float64Array(n), weight = new Float64Array(n), record = live.fill(new Float64Array(2 * ROUNDS), 2, ROUNDS);
    const begin = performance.now(), rounds = kernels.boost_plane(x, y, radius, which ? gamma : 0, kappa, aim, ROUNDS, hypothesis, margin, weight, record);
    return { rounds, hypothesis, margin, weight, record, n, ms: performance.now() - begin, largest: record.slice(ROUNDS, ROUNDS + rounds).reduce((a, b) => Math.max(a, b), 0) };
  }
  const sides = ([w1, w2]) => plane.line([-2 * w2, 2 * w2], [2 * w1, -2 * w1], "");

  function show() {
    const models = [0, 1].map(k => train(poison, k, values.kappa, values.aim));
    const all = [...clean, ...poison], xy = p => [plane.sx(p[0]), plane.sy(p[1])];
    plane.show(`<circle class="edge" cx="${plane.sx(0)}" cy="${plane.sy(0)}" r="${plane.sx(radius) - plane.sx(0)}"/>`
      + sides(target).replace('class="curve ', 'class="curve m-theory') + models.map((m, k) => sides(m.hypothesis).replace('class="curve ', `class="curve ${STYLES[k]}`)).join("")
      + all.map((p, i) => draw.mark(p[2] > 0 ? "circle" : "diamond", ...xy(p), i < n0 ? 3.4 : 7, `point ${p[2] > 0 ? "plus" : "minus"} ${i < n0 ? "" : "dirty"}`)).join("")
      + draw.mark("cross", ...xy(cursor), 6, "cursor"));
    const height = v => draw.clamp((Math.log10(Math.max(v, 1e-9)) + 2) / 4, 0.01, 1);
    weights.show(`<line class="cap" x1="${weights.sx(-1)}" x2="${weights.sx(1)}" y1="${weights.sy(height(1 / values.kappa))}" y2="${weights.sy(height(1 / values.kappa))}"/>`
      + models.map((m, k) => all.map((p, i) => draw.mark(k ? "square" : "triangle", weights.sx(m.margin[i]), weights.sy(height(m.weight[i] * m.n)), i < n0 ? 2.6 : 6, `point ${STYLES[k]} ${i < n0 ? "" : "dirty"}`)).join("")).join(""));
    const errors = models.map(m => m.margin.slice(0, n0).filter(z => z <= 0).length), lowest = models.map(m => m.margin.slice(0, n0).reduce((a, b) => Math.min(a, b), 1));
    const held = models.map(m => m.weight.slice(n0).reduce((a, b) => a + b, 0));
    const row = (name, cells) => `<tr><th scope="row">${name}</th>${cells.map(c => `<td>${c}</td>`).join("")}</tr>`;
    table.innerHTML = `<thead><tr><th></th>${NAMES.map(n => `<th scope="col">${n}</th>`).join("")}</tr></thead><tbody>`
      + row("errors on clean examples", errors.map(e => `${e} of ${n0}`)) + row("smallest clean margin", lowest.map(v => draw.number(v, 2)))
      + row("largest weight × n in any round", models.map(m => draw.number(m.largest, 2))) + row("its cap", ["none", draw.number(1 / values.kappa, 3)])
      + row("weight of the poison at the end", held.map(v => `${draw.number(100 * v, 2)} %`)) + row("rounds", models.map(m => m.rounds === ROUNDS ? `${ROUNDS}, not done` : m.rounds)) + "</tbody>";
    voice.say(`${poison.length} malicious of ${all.length} examples. AdaBoost errs on ${errors[0]} clean examples and gave one example up to ${draw.number(models[0].largest, 2)} times its share; SmoothBoost errs on ${errors[1]}, never above ${draw.number(models[1].largest, 2)} times. Trained in ${draw.number(models[0].ms + models[1].ms, 2)} ms.`);
    root.dataset.ms = models[0].ms + models[1].ms;
    root.dataset.poison = poison.length;
  }
  const soon = draw.soon(show);
  const remember = () => where.set({ at: poison.map(p => p.map(v => +v.toFixed(2)).join(",")).join(";") });
  const inside = (x, y) => { const r = Math.hypot(x, y) / radius; return r > 1 ? [x / r, y / r] : [x, y]; };
  function add(x, y) {
    if (poison.length >= 40) return;
    [x, y] = inside(x, y);
    poison.push([x, y, labelAt(x, y)]);
    remember();
    soon();
  }
  (where.get("at") || "").split(";").map(text => text.split(",").map(Number)).forEach(([x, y, label]) => {
    if (Math.hypot(x, y) <= radius + 0.01 && Math.abs(label) === 1 && poison.length < 40) poison.push([...inside(x, y), label]);
  });
  plane.svg.addEventListener("pointerup", event => { plane.svg.focus({ preventScroll: true }); cursor = inside(...plane.at(event)); add(...cursor); });
  plane.svg.addEventListener("keydown", event => {
    const by = event.shiftKey ? 0.25 : 0.05, way = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] }[event.key];
    if (way) { cursor = inside(cursor[0] + way[0], cursor[1] + way[1]); soon(); } else if (event.key === "Enter" || event.key === " ") add(...cursor);
    else if (event.key === "Backspace" || event.key === "Delete") { poison.pop(); remember(); soon(); } else return;
    event.preventDefault();
  });
  panel.button("five in one place", () => { for (let i = 0; i < 5; i++) add(...data.worst); });
  panel.button("take the last away", () => { poison.pop(); remember(); soon(); });
  panel.button("start again", () => { poison = []; where.set({ at: null }); panel.reset(); });
  root.append(panel.bar, ...voice.elements, draw.panels(
    [plane.svg, draw.key([["AdaBoost", STYLES[0]], ["SmoothBoost", STYLES[1]], ["target", "m-theory"], ["label +1", "point plus", "circle"], ["label −1", "point minus", "diamond"], ["malicious", "point dirty", "circle"]]),
      draw.node("p", { class: "keys" }, "Click or tap the disc to place a malicious example. Keys: arrows move the cross, Enter places, Backspace takes the last away.")],
    [weights.svg, draw.key([["AdaBoost", "point m-ada", "triangle"], ["SmoothBoost", "point m-smooth", "square"], ["SmoothBoost's cap 1/κ", "cap"]]), table]));
  show();
  return { train, show, get poison() { return poison; } };
};
