// Slider figures: tables of numbers come from Python (marginalia.plotting.SliderFigure), this script only draws them.
(function () {
  "use strict";
  const W = 640, H = 340, L = 56, R = 14, T = 12, B = 42;
  const escape = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));

  function draw(root) {
    const d = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const [x0, x1] = d.xlim, [y0, y1] = d.ylim;
    const sx = x => L + (x - x0) / (x1 - x0) * (W - L - R);
    const sy = y => H - B - (Math.min(Math.max(y, y0), y1) - y0) / (y1 - y0) * (H - T - B);
    const ticks = (a, b) => [0, 1, 2, 3, 4].map(i => a + (b - a) * i / 4);
    const number = v => String(+v.toPrecision(3));
    const path = ys => {
      let pen = "M";
      return ys.map((y, i) => {
        if (y === null) { pen = "M"; return ""; }
        const step = `${pen}${sx(d.x[i]).toFixed(1)},${sy(y).toFixed(1)}`;
        pen = "L";
        return step;
      }).join("");
    };
    const labels = d.families.map(f => f.label).concat(d.fixed.map(f => f.label));
    const kinds = d.families.map((_, i) => `curve c${i}`).concat(d.fixed.map((_, i) => `fixed f${i}`));
    const legend = labels.map((text, i) => text === "" ? "" :
      `<line class="${kinds[i]}" x1="${W - R - 26}" x2="${W - R - 4}" y1="${T + 12 + 16 * i}" y2="${T + 12 + 16 * i}"/>` +
      `<text x="${W - R - 32}" y="${T + 16 + 16 * i}" text-anchor="end">${escape(text)}</text>`).join("");
    const svg = root.querySelector("svg");
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    svg.innerHTML = `<rect class="frame" x="${L}" y="${T}" width="${W - L - R}" height="${H - T - B}"/>`
      + ticks(x0, x1).map(t => `<text x="${sx(t)}" y="${H - B + 16}" text-anchor="middle">${number(t)}</text>`).join("")
      + ticks(y0, y1).map(t => `<text x="${L - 6}" y="${sy(t) + 4}" text-anchor="end">${number(t)}</text>`).join("")
      + `<text x="${(L + W - R) / 2}" y="${H - 6}" text-anchor="middle">${escape(d.xlabel)}</text>`
      + `<text transform="translate(13 ${(T + H - B) / 2}) rotate(-90)" text-anchor="middle">${escape(d.ylabel)}</text>`
      + d.fixed.map((f, i) => `<path class="fixed f${i}" d="${path(f.curve)}"/>`).join("")
      + d.families.map((_, i) => `<path class="curve c${i}" data-family="${i}"/>`).join("") + legend;
    const moving = svg.querySelectorAll("path[data-family]");
    const input = root.querySelector("input"), out = root.querySelector("output");
    const show = () => {
      const k = +input.value;
      moving.forEach((element, i) => element.setAttribute("d", path(d.families[i].curves[k])));
      out.textContent = `${d.name} = ${d.values[k]}`;
      input.setAttribute("aria-valuetext", out.textContent);
    };
    input.addEventListener("input", show);
    show();
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".sliderfig").forEach(draw));
})();
