// Roll down the risk surface: kernels surface, roll and anneal on the Long–Servedio points.
live.figures.roll = function (root, kernels, data) {
  "use strict";
  const { gamma, x: rangeX, y: rangeY } = data, COLUMNS = 200, ROWS = 120;
  const grid = ([a, b], n) => Float64Array.from({ length: n }, (_, i) => a + (b - a) * (i + 0.5) / n);
  const xs = grid(rangeX, COLUMNS), ys = grid(rangeY, ROWS), room = () => new Float64Array(5);
  const panel = draw.controls([
    { key: "alpha", label: "α of the loss", values: data.alphas, start: 2 },
    { key: "p", label: "labels wrong", values: data.rates, start: data.rates[data.rate], show: v => `${draw.number(100 * v)} %` },
  ], "roll", () => { stop(); path = null; soon(); });
  const { values, where } = panel;
  const map = draw.axes({ x: rangeX, y: rangeY, xlabel: "θ₁", ylabel: "θ₂", width: 640, height: 380, label: "The noisy risk over the plane of linear classifiers, dark where it is low. Arrow keys move the ball, Enter lets it roll." });
  map.svg.setAttribute("tabindex", 0);
  map.svg.setAttribute("role", "application");
  const cut = draw.axes({ x: [0, 1], y: [0, 1.05], title: "Risk on the straight way between the ends, lowest to highest", label: "Risk on the straight way from the near to the far minimum", width: 640, height: 220, ticksX: [[0, "near"], [1, "far"]], ticksY: [] });
  const voice = draw.voice();
  let ball = data.ball.slice(), path = null, stop = () => {}, shown = values.alpha;

  const odds = () => data.odds[data.rates.indexOf(values.p)];  // right copies for each wrong one
  function roll(alpha, from) {
    const track = live.fill(new Float64Array(2 * 3000), 2, 3000);
    track[0] = from[0]; track[3000] = from[1];
    const begin = performance.now(), n = kernels.roll(alpha, odds(), gamma, track, room());
    return { x: track.slice(0, n), y: track.slice(3000, 3000 + n), end: [track[n - 1], track[3000 + n - 1]], ms: performance.now() - begin };
  }
  function surface(alpha, x, y) {
    const out = live.fill(new Float64Array((y.length + 1) * x.length), y.length + 1, x.length);
    kernels.surface(alpha, odds(), gamma, x, y, out);
    return out.subarray(0, x.length * y.length);
  }
  const risk = (alpha, x, y) => surface(alpha, Float64Array.from([x, x, x, x, x]), Float64Array.of(y))[0];
  // all examples are right between two rays from the origin
  const perfect = ([a, b]) => a > 0 && a > b && a > -5 * b;
  const words = end => perfect(end) ? "all examples right" : "a fair coin";
  const place = ([a, b]) => `(${draw.fixed(a, 2)}, ${draw.fixed(b, 2)})`;

  function ends(alpha) {
    const near = roll(alpha, [0, 0]).end, far = roll(alpha, [rangeX[1], 0]).end, one = Math.hypot(near[0] - far[0], near[1] - far[1]) < 0.01;
    return { near, far, one, lower: one || risk(alpha, ...near) <= risk(alpha, ...far) ? near : far };
  }

  let painted = "", ground = "", found = null, profile = "";
  function landscape(alpha) {
    const key = `${alpha} ${values.p}`;
    if (key === painted) return;
    painted = key;
    found = ends(alpha);
    const z = surface(alpha, xs, ys), low = risk(alpha, ...found.lower), top = z.reduce((a, b) => Math.max(a, b), low);
    const tones = Uint8Array.from(z, v => 255 * Math.sqrt(Math.max(v - low, 0) / (top - low)));
    ground = map.picture(tones, COLUMNS, ROWS, draw.tone);
    const { near, far, one } = found;
    const t = Array.from({ length: 121 }, (_, i) => i / 120), along = t.map(u => risk(alpha, near[0] + u * (far[0] - near[0]), near[1] + u * (far[1] - near[1])));
    const [a, b] = [Math.min(...along), Math.max(...along)];
    profile = one ? "" : cut.line(t, along.map(v => (v - a) / (b - a || 1)), "m-alpha");
  }

  function show() {
    const alpha = shown;
    landscape(alpha);
    const at = ([a, b]) => [map.sx(a), map.sy(b)], far = rangeX[1];
    map.show(ground + map.line([0, far], [0, far], "edge") + map.line([0, far], [0, -far / 5], "edge")
      + (path ? map.line(path.x, path.y, "track") : "")
      + [found.near, ...(found.one ? [] : [found.far])].map(end => draw.mark(perfect(end) ? "square" : "cross", ...at(end), 8, `minimum ${end === found.lower ? "lowest" : ""}`)).join("")
      + draw.mark("circle", ...at(ball), 8, "ball"));
    cut.show(profile || `<text x="60" y="110">At this α the flow has one end only.</text>`);
    root.dataset.ball = ball.join();
  }
  function tell(more = "") {
    const { near, far, one, lower } = found;
    voice.say(`${more}At α = ${shown} ${one ? `every way ends at ${place(near)}, ${words(near)}.` : `the near minimum ${place(near)} is ${words(near)}, the far one ${place(far)} gets ${words(far)}; the lower one is the ${lower === near ? "near" : "far"} one.`}`);
  }
  const soon = draw.soon(() => { shown = values.alpha; show(); tell(); });

  function drop() {
    stop();
    shown = values.alpha;
    const from = ball.slice();
    path = roll(shown, from);
    root.dataset.ms = path.ms;
    const n = path.x.length, end = () => { ball = path.end; show(); tell(`Dropped at ${place(from)}, the ball rolls to ${place(ball)}: ${words(ball)}. `); };
    const begin = performance.now(), whole = path;
    stop = draw.animate(now => {
      const k = Math.floor((now - begin) / 1500 * n);
      if (k >= n) { end(); return false; }
      ball = [whole.x[Math.max(k, 0)], whole.y[Math.max(k, 0)]];
      show();
      return true;
    }, end);
    where.set({ ball: from.map(v => +v.toFixed(2)).join(",") });
  }
  // alpha goes from one end of its range to the value of the slider, and the ball rests in a minimum all the time
  function anneal(first) {
    stop();
    const steps = 90, alphas = Float64Array.from({ length: steps }, (_, i) => first + (values.alpha - first) * i / (steps - 1));
    const track = live.fill(new Float64Array(2 * steps), 2, steps);
    kernels.anneal(alphas, odds(), gamma, track, live.fill(new Float64Array(2 * 3000), 2, 3000), room());
    path = { x: track.slice(0, steps), y: track.slice(steps) };
    const whole = path, end = () => { shown = values.alpha; path = whole; ball = [whole.x[steps - 1], whole.y[steps - 1]]; show(); tell(`From α = ${first} to ${values.alpha} the ball ends at ${place(ball)}: ${words(ball)}. `); };
    const begin = performance.now();
    stop = draw.animate(now => {
      const k = Math.max(0, Math.floor((now - begin) / 3000 * steps));
      if (k >= steps) { end(); return false; }
      shown = +alphas[k].toFixed(2);
      ball = [whole.x[k], whole.y[k]];
      path = { x: whole.x.slice(0, k + 1), y: whole.y.slice(0, k + 1) };
      show();
      return true;
    }, end);
  }

  const put = (x, y) => { stop(); path = null; shown = values.alpha; ball = [draw.clamp(x, ...rangeX), draw.clamp(y, ...rangeY)]; };
  let held = false;
  map.svg.addEventListener("pointerdown", event => { held = true; map.svg.focus({ preventScroll: true }); put(...map.at(event)); show(); });
  map.svg.addEventListener("pointermove", event => { if (held && event.buttons) { put(...map.at(event)); show(); } });
  map.svg.addEventListener("pointerup", () => { if (held) { held = false; drop(); } });
  map.svg.addEventListener("pointercancel", () => { held = false; });
  map.svg.addEventListener("keydown", event => {
    const by = event.shiftKey ? 5 : 1, way = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by / 2], ArrowDown: [0, -by / 2] }[event.key];
    if (way) { event.preventDefault(); put(ball[0] + way[0], ball[1] + way[1]); show(); voice.say(`The ball is at ${place(ball)}; Enter lets it roll.`); }
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); drop(); }
  });
  panel.button("let it roll", drop);
  panel.button(`raise α from ${data.alphas[0]}`, () => anneal(data.alphas[0]));
  panel.button(`lower α from ${data.alphas[data.alphas.length - 1]}`, () => anneal(data.alphas[data.alphas.length - 1]));
  panel.button("start again", () => { stop(); ball = data.ball.slice(); path = null; where.set({ ball: null }); panel.reset(); });
  root.append(panel.bar, ...voice.elements, draw.panels(
    [map.svg, draw.key([["the ball", "ball", "circle"], ["minimum, all right", "minimum", "square"], ["minimum, a fair coin", "minimum", "cross"], ["inside: all examples right", "edge"]]),
      draw.node("p", { class: "keys" }, "Click or tap: the ball is dropped there. Keys: arrows move it, with Shift in long steps, Enter lets it roll.")],
    [cut.svg]));
  const asked = (where.get("ball") || "").split(",").map(Number);
  show();
  tell();
  if (asked.length === 2 && asked.every(Number.isFinite)) { put(...asked); drop(); }
  return { roll, surface, ends };
};
