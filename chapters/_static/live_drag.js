// Drag a point, flip a label: three lines fitted anew with every move, by kernels fit_line and loss_curve.
live.figures.drag = function (root, kernels, data) {
  "use strict";
  const { lim, l2 } = data, start = data.points, names = data.names;  // points: [x1, x2, label]
  const STYLES = ["m-logistic", "m-alpha", "m-two"];
  let points = start.map(p => p.slice()), chosen = data.chosen;
  const step = (from, to, by) => Array.from({ length: Math.round((to - from) / by) + 1 }, (_, i) => +(from + i * by).toFixed(4));
  const panel = draw.controls([
    { key: "alpha", label: "α of the α-loss", values: data.alphas, start: 4 },
    { key: "t1", label: "t₁ (loss)", values: step(0, 1, 0.05), start: 0.3 },
    { key: "t2", label: "t₂ (model)", values: step(1, 3, 0.05), start: 1.8 },
    { key: "discs", label: "discs show", options: Object.fromEntries(names.map((n, i) => [i, `weights of ${n}`])), start: "1" },
  ], "drag", () => soon());
  const { values, where } = panel;
  const plane = draw.axes({ x: [-lim, lim], y: [-lim, lim], width: 360, height: 360, label: "Examples in the plane. Arrow keys move the chosen one, Space flips its label, N and P choose another." });
  plane.svg.setAttribute("tabindex", 0);
  plane.svg.setAttribute("role", "application");
  const policy = draw.axes({ x: [-6, 6], y: [0, 1.05], title: "Weight against margin", xlabel: "margin: right side of its line →", ylabel: "weight" });
  const voice = draw.voice(), margins = Float64Array.from({ length: 121 }, (_, i) => -6 + i / 10);

  // one loss: its family, its parameters
  const losses = () => [[0, 1, 0], [0, values.alpha, 0], [1, values.t1, values.t2]];
  function train(pts, [family, first, second]) {
    const n = pts.length, x = live.fill(new Float64Array(2 * n), 2, n), y = Float64Array.from(pts, p => p[2]);
    pts.forEach((p, i) => { x[i] = p[0]; x[n + i] = p[1]; });
    const theta = live.fill(new Float64Array(6), 2, 3), [margin, value, weight] = [0, 0, 0].map(() => new Float64Array(n));
    const begin = performance.now(), steps = kernels.fit_line(x, y, family, first, second, l2, theta, margin, value, weight, live.fill(new Float64Array(24), 8, 3));
    return { theta: theta.slice(0, 3), margin, value, weight, steps, ms: performance.now() - begin };
  }
  function policyOf([family, first, second]) {
    const value = new Float64Array(margins.length), weight = value.slice();
    kernels.loss_curve(margins, family, first, second, value, weight);
    return weight;
  }

  // where the line w.x + b = 0 leaves the square
  function ruler([w1, w2, b], style) {
    const far = 4 * lim, norm = Math.hypot(w1, w2) || 1, foot = [-b * w1 / norm / norm, -b * w2 / norm / norm], along = [-w2 / norm * far, w1 / norm * far];
    return plane.line([foot[0] - along[0], foot[0] + along[0]], [foot[1] - along[1], foot[1] + along[1]], style);
  }
  const shape = label => label > 0 ? "circle" : "diamond";

  function show() {
    const models = losses().map(loss => train(points, loss)), k = +values.discs, model = models[k], style = STYLES[k];
    const all = model.weight.reduce((a, w) => a + w, 0) || 1;
    const xy = p => [plane.sx(p[0]), plane.sy(p[1])];
    plane.show(points.map((p, i) => draw.mark("circle", ...xy(p), Math.sqrt(1100 * model.weight[i] / all * 2).toFixed(1), "halo")).join("")
      + models.map((m, i) => ruler(m.theta, STYLES[i])).join("")
      + points.map((p, i) => draw.mark(shape(p[2]), ...xy(p), 5, `point ${p[2] > 0 ? "plus" : "minus"}`)).join("")
      + draw.mark("circle", ...xy(points[chosen]), 11, "chosen")
      + points.map((p, i) => draw.mark("circle", ...xy(p), 14, "grip", `data-i="${i}"`)).join(""));
    const curves = losses().map(policyOf);
    policy.show(curves.map((w, i) => policy.line(margins, w, STYLES[i])).join("")
      + points.map((p, i) => draw.mark(shape(p[2]), policy.sx(draw.clamp(model.margin[i], -6, 6)), policy.sy(Math.min(model.weight[i], 1.05)), i === chosen ? 6 : 3.2, `point ${style} ${p[2] > 0 ? "plus" : "minus"}`)).join(""));
    const right = models.map(m => m.margin.filter(z => z > 0).length), share = models.map(m => 100 * m.weight[chosen] / (m.weight.reduce((a, w) => a + w, 0) || 1));
    voice.say(`Right on ${names.map((n, i) => `${n} ${right[i]}`).join(", ")} of ${points.length} given labels. The chosen ${shape(points[chosen][2])} has ${names.map((n, i) => `${draw.number(share[i], 2)} %${i ? "" : " of the weight"} in ${n}`).join(", ")}. Three lines fitted in ${draw.number(models.reduce((s, m) => s + m.ms, 0), 2)} ms.`);
    root.dataset.ms = models.reduce((s, m) => s + m.ms, 0);
  }
  const soon = draw.soon(show);

  // the address holds the points that differ from the start
  const remember = () => where.set({ points: points.map((p, i) => start[i] && p.every((v, k) => v === start[i][k]) ? "" : [i, ...p.map(v => +v.toFixed(2))].join(",")).filter(Boolean).join(";") });
  (where.get("points") || "").split(";").map(text => text.split(",").map(Number)).forEach(([i, x, y, label]) => {
    if (i >= 0 && i < 60 && [x, y].every(v => Math.abs(v) <= lim) && Math.abs(label) === 1) points[Math.min(i, points.length)] = [x, y, label];
  });
  const change = act => { act(points[chosen]); remember(); soon(); };
  const keep = v => draw.clamp(v, -lim, lim);
  let held = -1, moved = false;
  plane.svg.addEventListener("pointerdown", event => {
    const i = event.target.dataset.i;
    if (i === undefined) return;
    held = chosen = +i;
    moved = false;
    plane.svg.setPointerCapture(event.pointerId);
    plane.svg.focus({ preventScroll: true });
    soon();
  });
  // a finger on a point moves the point and not the page; redrawing removes what was touched, and its touch-action with it
  plane.svg.addEventListener("touchstart", event => { if (event.target.dataset.i !== undefined) event.preventDefault(); }, { passive: false });
  plane.svg.addEventListener("pointermove", event => {
    if (held < 0) return;
    const [x, y] = plane.at(event);
    moved = moved || Math.hypot(x - points[held][0], y - points[held][1]) > 0.06;
    if (moved) { points[held][0] = keep(x); points[held][1] = keep(y); soon(); }
  });
  const release = flip => () => { if (held >= 0) { if (flip && !moved) points[held][2] *= -1; held = -1; remember(); soon(); } };
  plane.svg.addEventListener("pointerup", release(true));
  plane.svg.addEventListener("pointercancel", release(false));
  plane.svg.addEventListener("keydown", event => {
    const by = event.shiftKey ? 0.25 : 0.05, n = points.length;
    const act = {
      ArrowLeft: p => { p[0] = keep(p[0] - by); }, ArrowRight: p => { p[0] = keep(p[0] + by); }, ArrowUp: p => { p[1] = keep(p[1] + by); }, ArrowDown: p => { p[1] = keep(p[1] - by); },
      " ": p => { p[2] *= -1; }, Enter: p => { p[2] *= -1; }, n: () => { chosen = (chosen + 1) % n; }, p: () => { chosen = (chosen + n - 1) % n; },
    }[event.key];
    if (act && !event.ctrlKey && !event.metaKey) { event.preventDefault(); change(act); }
  });
  panel.button("flip the chosen label", () => change(p => { p[2] *= -1; }));
  panel.button("add an outlier", () => { if (points.length < 60) { points.push([-0.9 * lim, -0.9 * lim, 1]); chosen = points.length - 1; remember(); soon(); } });
  panel.button("start again", () => { points = start.map(p => p.slice()); chosen = data.chosen; where.set({ points: null }); panel.reset(); });
  root.append(panel.bar, ...voice.elements, draw.panels(
    [plane.svg, draw.key([...names.map((n, i) => [n, STYLES[i]]), ["label +1", "point plus", "circle"], ["label −1", "point minus", "diamond"], ["weight", "halo", "circle"]])],
    [policy.svg, draw.node("p", { class: "keys" }, "Drag a point to move it, click or tap it to flip its label. Keys: arrows move, Space flips, N and P choose.")]));
  show();
  return { train, show, losses, get points() { return points; } };
};
