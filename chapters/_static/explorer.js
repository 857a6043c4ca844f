// The explorer: sliders over tables of numbers that Python computed (marginloss.companion.explorer). Between two nodes of a table
// the script interpolates linearly; it knows no formula of its own.
(function () {
  "use strict";
  const W = 420, H = 300, L = 62, R = 18, T = 28, B = 40;
  const SVG = "http://www.w3.org/2000/svg";
  const node = (tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    if (text) element.textContent = text;
    return element;
  };
  const number = v => String(+(+v).toPrecision(3));
  const ticks = (a, b) => [0, 1, 2, 3, 4].map(i => a + (b - a) * i / 4);

  // position of a value between the nodes of a control: index of the lower node and the fraction above it
  function place(values, value) {
    let i = 0;
    while (i < values.length - 2 && value >= values[i + 1]) i++;
    return [i, (value - values[i]) / (values[i + 1] - values[i])];
  }

  // corners of the table around the current state, each with its share
  function corners(by, state) {
    let found = [[0, 1]];
    by.forEach(key => {
      const { values, value } = state[key], [i, f] = place(values, value);
      found = found.flatMap(([index, share]) => [[index * values.length + i, share * (1 - f)], [index * values.length + i + 1, share * f]]);
    });
    return found.filter(([, share]) => share > 0);
  }
  const blend = (table, found) => table[found[0][0]].map((_, k) => found.reduce((sum, [index, share]) => sum + share * table[index][k], 0));

  function frame(panel, xlim) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${panel.title}: ${panel.ylabel} against ${panel.xlabel}`);
    const sx = x => L + (x - xlim[0]) / (xlim[1] - xlim[0]) * (W - L - R);
    const sy = y => H - B - (y - panel.ylim[0]) / (panel.ylim[1] - panel.ylim[0]) * (H - T - B);
    const text = (x, y, anchor, words, more = "") => `<text x="${x}" y="${y}" text-anchor="${anchor}" ${more}>${words}</text>`;
    svg.innerHTML = `<clipPath id="${panel.id}"><rect x="${L}" y="${T}" width="${W - L - R}" height="${H - T - B}"/></clipPath>`
      + `<g class="layer" clip-path="url(#${panel.id})"></g>`
      + `<rect class="frame" x="${L}" y="${T}" width="${W - L - R}" height="${H - T - B}"/>`
      + text(L, 17, "start", panel.title, 'class="title"')
      + ticks(...xlim).map(t => text(sx(t), H - B + 15, "middle", number(t))).join("")
      + ticks(...panel.ylim).map(t => text(L - 5, sy(t) + 4, "end", number(t))).join("")
      + text((L + W - R) / 2, H - 6, "middle", panel.xlabel)
      + text(0, 0, "middle", panel.ylabel, `transform="translate(12 ${(T + H - B) / 2}) rotate(-90)"`);
    return { svg, sx, sy, layer: svg.querySelector(".layer") };
  }

  function curves(panel) {
    const { svg, sx, sy, layer } = frame(panel, [panel.x[0], panel.x[panel.x.length - 1]]);
    const paths = panel.curves.map(curve => {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", `curve c${curve.tone}`);
      layer.append(path);
      return path;
    });
    const key = node("p", { class: "key" });
    panel.curves.forEach(curve => {
      const item = node("span", { class: "item" });
      item.innerHTML = `<svg viewBox="0 0 28 8" aria-hidden="true"><path class="curve c${curve.tone}" d="M0,4L28,4"/></svg>`;
      item.append(node("span", {}, curve.label));
      key.append(item);
    });
    const draw = state => panel.curves.forEach((curve, i) => {
      const y = blend(curve.table, corners(curve.by, state));
      paths[i].setAttribute("d", y.map((v, k) => `${k ? "L" : "M"}${sx(panel.x[k]).toFixed(1)},${sy(v).toFixed(1)}`).join(""));
    });
    return { elements: [svg, key], draw };
  }

  function image(panel) {
    const { svg, sx, sy, layer } = frame(panel, panel.xlim);
    const [rows, columns] = panel.shape, size = rows * columns;
    const all = Uint8Array.from(atob(panel.bytes), c => c.charCodeAt(0));
    const canvas = node("canvas", { width: columns, height: rows }), pen = canvas.getContext("2d");
    const picture = document.createElementNS(SVG, "image");
    Object.entries({ x: L, y: T, width: W - L - R, height: H - T - B, preserveAspectRatio: "none" }).forEach(([k, v]) => picture.setAttribute(k, v));
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("class", "mark");
    dot.setAttribute("r", 6);
    layer.append(picture, dot);
    const key = node("p", { class: "key", "aria-live": "polite" });
    const draw = state => {
      const found = corners(panel.by, state), pixels = pen.createImageData(columns, rows);
      for (let i = 0; i < size; i++) {
        let v = 0;
        found.forEach(([index, share]) => { v += share * all[index * size + i]; });
        const row = rows - 1 - Math.floor(i / columns), at = 4 * (row * columns + i % columns);
        const band = Math.round(v / 255 * 24) / 24 * 255;  // bands read as contour lines
        pixels.data[at] = pixels.data[at + 1] = pixels.data[at + 2] = band;
        pixels.data[at + 3] = 255;
      }
      pen.putImageData(pixels, 0, 0);
      picture.setAttribute("href", canvas.toDataURL());
      if (panel.marks) {
        // a minimiser may jump between two nodes of the table: show the nearest node's, never a blend of two
        const nearest = found.reduce((best, corner) => corner[1] > best[1] ? corner : best)[0];
        const [x, y, value] = panel.marks[nearest];
        dot.setAttribute("cx", sx(x));
        dot.setAttribute("cy", sy(y));
        key.textContent = `${panel.markLabel}: (${x.toFixed(3)}, ${y.toFixed(3)}), ${number(value)}`;
      }
    };
    return { elements: [svg, key], draw };
  }

  function build(root, serial) {
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const state = Object.fromEntries(data.controls.map(c => [c.key, { ...c, value: c.start }]));
    const given = new URLSearchParams(location.hash.slice(1));
    const bar = node("div", { class: "controls" }), grid = node("div", { class: "panels" });
    const panels = data.panels.map((panel, i) => {
      panel.id = `explorer-${serial}-${i}`;
      const view = panel.kind === "image" ? image(panel) : curves(panel), box = node("figure");
      box.append(...view.elements);
      grid.append(box);
      return { view, by: new Set(panel.kind === "image" ? panel.by : panel.curves.flatMap(c => c.by)) };
    });
    const inputs = data.controls.map(c => {
      const label = node("label"), name = node("span", {}, c.label), out = node("output");
      const input = node("input", { type: "range", min: 0, max: c.values.length - 1, step: 0.05, "aria-label": c.label });
      const toValue = position => {
        const i = Math.min(Math.floor(position), c.values.length - 2);
        return c.values[i] + (position - i) * (c.values[i + 1] - c.values[i]);
      };
      const set = value => {
        const [i, f] = place(c.values, Math.min(Math.max(value, c.values[0]), c.values[c.values.length - 1]));
        input.value = i + f;
        change(false);
      };
      const change = remember => {
        state[c.key].value = toValue(+input.value);
        out.textContent = number(state[c.key].value);
        input.setAttribute("aria-valuetext", `${c.label} ${out.textContent}`);
        panels.filter(panel => panel.by.has(c.key)).forEach(panel => panel.view.draw(state));
        if (remember) history.replaceState(null, "", "#" + new URLSearchParams(data.controls.map(k => [k.key, number(state[k.key].value)])));
      };
      input.addEventListener("input", () => change(true));
      label.append(name, input, out);
      bar.append(label);
      return { set, start: c.start, key: c.key };
    });
    const reset = node("button", { type: "button" }, "start again");
    reset.addEventListener("click", () => { inputs.forEach(i => i.set(i.start)); history.replaceState(null, "", location.pathname + location.search); });
    bar.append(reset);
    root.append(bar, grid);
    inputs.forEach(i => { const asked = parseFloat(given.get(i.key)); i.set(Number.isFinite(asked) ? asked : i.start); });
    panels.filter(panel => panel.by.size === 0).forEach(panel => panel.view.draw(state));
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".explorer").forEach(build));
})();
