// What all figures drawn in the page share: axes, marks, keys, controls, the address, and a voice. No formula.
const draw = (function () {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const escape = text => String(text).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const node = (tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    if (text) element.textContent = text;
    return element;
  };
  const number = (v, digits = 3) => String(+(+v).toPrecision(digits)).replace("-", "−");
  const fixed = (v, digits) => (+v.toFixed(digits) + 0).toFixed(digits).replace("-", "−");
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);

  // round numbers between a and b, about so many
  function ticks(a, b, about = 5) {
    const rough = Math.abs(b - a) / about, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= rough * 0.999), found = [];
    for (let k = Math.ceil(Math.min(a, b) / step - 1e-9); k * step <= Math.max(a, b) + 1e-9 * step; k++) found.push(+(k * step).toPrecision(12));
    return found;
  }

  let serial = 0;
  // A panel: {x: [low, high], y: [low, high], title, xlabel, ylabel, width, height, ticksX, ticksY, square}; ticks may be
  // [value, text] pairs. Drawn into .layer, in the coordinates of sx and sy.
  function axes(spec) {
    const { title = "", xlabel = "", ylabel = "", width = 360, height = 270, label = "" } = spec;
    const L = ylabel ? 54 : 36, R = 22, T = title ? 28 : 12, B = xlabel ? 46 : 28;
    const svg = document.createElementNS(SVG, "svg"), id = `draw-${serial++}`;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("class", "drawing");
    svg.setAttribute("aria-label", label || `${title}: ${ylabel} against ${xlabel}`);
    const [x0, x1] = spec.x, [y0, y1] = spec.y, w = width - L - R, h = height - T - B;
    const sx = x => L + (x - x0) / (x1 - x0) * w;
    // far outside the frame is far enough: what leaves it is cut off
    const sy = y => clamp(T + h - (y - y0) / (y1 - y0) * h, -9 * height, 9 * height);
    const pairs = (given, a, b) => (given || ticks(a, b)).map(t => Array.isArray(t) ? t : [t, number(t)]);
    svg.innerHTML = `<clipPath id="${id}"><rect x="${L}" y="${T}" width="${w}" height="${h}"/></clipPath>`
      + pairs(spec.ticksX, x0, x1).map(([t, s]) => `<line class="grid" x1="${sx(t).toFixed(1)}" x2="${sx(t)}" y1="${T}" y2="${T + h}"/><text x="${sx(t)}" y="${T + h + 16}" text-anchor="middle">${escape(s)}</text>`).join("")
      + pairs(spec.ticksY, y0, y1).map(([t, s]) => `<line class="grid" x1="${L}" x2="${L + w}" y1="${sy(t)}" y2="${sy(t)}"/><text x="${L - 6}" y="${sy(t) + 4}" text-anchor="end">${escape(s)}</text>`).join("")
      + `<g class="layer" clip-path="url(#${id})"></g><rect class="frame" x="${L}" y="${T}" width="${w}" height="${h}"/>`
      + (title ? `<text class="title" x="${L}" y="18">${escape(title)}</text>` : "")
      + (xlabel ? `<text x="${L + w / 2}" y="${height - 8}" text-anchor="middle">${escape(xlabel)}</text>` : "")
      + (ylabel ? `<text x="15" y="${T + h / 2}" text-anchor="middle" transform="rotate(-90 15 ${T + h / 2})">${escape(ylabel)}</text>` : "");
    const layer = svg.querySelector(".layer");
    // where a pointer is, in the numbers of the axes
    const at = event => {
      const box = svg.getBoundingClientRect();
      return [x0 + ((event.clientX - box.left) / box.width * width - L) / w * (x1 - x0), y0 + (T + h - (event.clientY - box.top) / box.height * height) / h * (y1 - y0)];
    };
    const line = (xs, ys, style) => `<path class="curve ${style}" d="${path(xs, ys, sx, sy)}"/>`;
    // pixels under everything else: one byte of tone each, row by row from below
    const picture = (bytes, columns, rows, paint) => {
      const canvas = node("canvas", { width: columns, height: rows }), pen = canvas.getContext("2d"), pixels = pen.createImageData(columns, rows);
      for (let i = 0; i < columns * rows; i++) {
        const place = 4 * ((rows - 1 - Math.floor(i / columns)) * columns + i % columns);
        pixels.data.set(paint(bytes[i]), place);
        pixels.data[place + 3] = 255;
      }
      pen.putImageData(pixels, 0, 0);
      return `<image x="${L}" y="${T}" width="${w}" height="${h}" preserveAspectRatio="none" href="${canvas.toDataURL()}"/>`;
    };
    return { svg, layer, sx, sy, at, line, picture, show: text => { layer.innerHTML = text; }, x: spec.x, y: spec.y };
  }

  // tone 0 to 255 in bands, which read as contour lines: from dark blue to pale yellow
  const tone = v => { const u = Math.round(v / 255 * 16) / 16; return [20 + 225 * u, 45 + 185 * u, 95 + 90 * u * u]; };

  // a value that is not a number lifts the pen
  function path(xs, ys, sx, sy) {
    let pen = "M", text = "";
    for (let i = 0; i < xs.length; i++) {
      if (ys[i] === null || Number.isNaN(ys[i])) { pen = "M"; continue; }
      text += `${pen}${sx(xs[i]).toFixed(1)},${sy(ys[i]).toFixed(1)}`;
      pen = "L";
    }
    return text;
  }

  // marks of the same area: never colour alone
  function mark(shape, x, y, size, style, more = "") {
    const [X, Y, s] = [x.toFixed(1), y.toFixed(1), +size];
    if (shape === "circle") return `<circle class="${style}" cx="${X}" cy="${Y}" r="${s}" ${more}/>`;
    const corners = { square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]], diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]], triangle: [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]], cross: [[-0.3, -1.2], [0.3, -1.2], [0.3, -0.3], [1.2, -0.3], [1.2, 0.3], [0.3, 0.3], [0.3, 1.2], [-0.3, 1.2], [-0.3, 0.3], [-1.2, 0.3], [-1.2, -0.3], [-0.3, -0.3]] }[shape];
    return `<path class="${style}" d="M${corners.map(([a, b]) => `${(x + a * s).toFixed(1)},${(y + b * s).toFixed(1)}`).join("L")}Z" ${more}/>`;
  }

  // what lines and marks mean: [text, style] or [text, style, shape]
  function key(items) {
    const list = node("p", { class: "key" });
    items.forEach(([text, style, shape]) => {
      const item = node("span", { class: "item" });
      item.innerHTML = `<svg viewBox="0 0 28 12" aria-hidden="true">${shape ? mark(shape, 14, 6, 4.5, style) : `<path class="curve ${style}" d="M0,6L28,6"/>`}</svg>`;
      item.append(node("span", {}, text));
      list.append(item);
    });
    return list;
  }

  // The address carries every control, so that a link to the page carries the setting; other figures keep theirs.
  function address(prefix) {
    const read = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const mine = name => prefix ? `${prefix}.${name}` : name;
    return {
      get: name => read().get(mine(name)),
      set(values) {
        const all = read();
        Object.entries(values).forEach(([name, value]) => { if (value === null || value === "") all.delete(mine(name)); else all.set(mine(name), value); });
        const text = all.toString();
        history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
      },
    };
  }

  // Controls of a figure: {key, label, values, start} for a slider that stops at each value, {key, label, options, start}
  // for a choice. Calls changed(values); returns the element, the values and set(key, value).
  function controls(specs, prefix, changed) {
    const bar = node("div", { class: "controls" }), where = address(prefix), values = {}, setters = {};
    const remember = () => where.set(Object.fromEntries(specs.map(s => [s.key, values[s.key] === s.start ? null : values[s.key]])));
    specs.forEach(spec => {
      const label = node("label"), name = node("span", {}, spec.label), show = spec.show || (v => number(v, 6));
      label.append(name);
      if (spec.options) {
        const select = node("select", { "aria-label": spec.label });
        Object.entries(spec.options).forEach(([value, text]) => select.append(node("option", { value }, text)));
        select.addEventListener("change", () => { values[spec.key] = select.value; remember(); changed(values, spec.key); });
        setters[spec.key] = value => { if (value in spec.options) values[spec.key] = select.value = value; };
        label.append(select);
      } else {
        const input = node("input", { type: "range", min: 0, max: spec.values.length - 1, step: 1, "aria-label": spec.label }), out = node("output");
        const tell = () => { out.textContent = show(values[spec.key]); input.setAttribute("aria-valuetext", `${spec.label} ${out.textContent}`); };
        input.addEventListener("input", () => { values[spec.key] = spec.values[+input.value]; tell(); remember(); changed(values, spec.key); });
        setters[spec.key] = value => {
          const near = spec.values.reduce((best, v, i) => Math.abs(v - value) < Math.abs(spec.values[best] - value) ? i : best, 0);
          input.value = near;
          values[spec.key] = spec.values[near];
          tell();
        };
        label.append(input, out);
      }
      bar.append(label);
      setters[spec.key](spec.start);
      const asked = where.get(spec.key);
      if (asked !== null && (spec.options || Number.isFinite(+asked))) setters[spec.key](spec.options ? asked : +asked);
    });
    const buttons = node("div", { class: "buttons" });
    bar.append(buttons);
    const button = (text, act) => {
      const element = node("button", { type: "button" }, text);
      element.addEventListener("click", () => act(element));
      buttons.append(element);
      return element;
    };
    const reset = () => { specs.forEach(spec => setters[spec.key](spec.start)); remember(); changed(values, null); };
    return { bar, values, button, reset, where, set: (name, value) => { setters[name](value); remember(); changed(values, name); } };
  }

  // once a frame, however often it is asked
  function soon(act) {
    let waiting = false;
    return () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; act(); }); } };
  }

  // A live region: shown at once, read out when the reader has stopped for a moment.
  function voice() {
    const shown = node("p", { class: "said", "aria-hidden": "true" }), spoken = node("p", { class: "spoken", "aria-live": "polite" });
    let timer = 0;
    return { elements: [shown, spoken], say(text) { shown.textContent = text; clearTimeout(timer); timer = setTimeout(() => { spoken.textContent = text; }, 500); } };
  }

  // Frames of an animation until next() returns false; with reduced motion only the end is shown. Returns a stop function.
  function animate(next, jump) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { jump(); return () => {}; }
    let running = true;
    const frame = time => { if (running && (running = next(time) !== false)) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    return () => { running = false; };
  }

  const panels = (...boxes) => {
    const grid = node("div", { class: "panels" });
    boxes.forEach(parts => { const box = node("figure"); box.append(...parts); grid.append(box); });
    return grid;
  };
  return { address, animate, axes, clamp, controls, escape, fixed, key, mark, node, number, panels, path, soon, ticks, tone, voice };
})();
