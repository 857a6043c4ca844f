// Slider figures: tables of numbers computed in Python, drawn here. No formula, no dependency, no network.
(function () {
  const W = 640, H = 340, L = 64, R = 16, T = 14, B = 54;

  function escape(text) {
    return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  }

  function draw(root, index) {
    const d = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const [x0, x1] = d.xlim, [y0, y1] = d.ylim;
    const sx = (x) => L + ((x - x0) / (x1 - x0)) * (W - L - R);
    // far outside the frame is far enough: what leaves it is cut off by the clip path
    const sy = (y) => Math.min(Math.max(H - B - ((y - y0) / (y1 - y0)) * (H - T - B), -9 * H), 9 * H);
    const ticks = (a, b) => [0, 1, 2, 3, 4].map((i) => a + ((b - a) * i) / 4);
    // counts have whole ticks
    const whole = d.x.every(Number.isInteger) ? Math.round : (t) => t;
    // a value that is not a number lifts the pen
    const path = (curve) => {
      let pen = "M";
      return curve.map((y, i) => {
        if (y === null) { pen = "M"; return ""; }
        const step = `${pen}${sx(d.x[i]).toFixed(1)},${sy(y).toFixed(1)}`;
        pen = "L";
        return step;
      }).join("");
    };
    const middle = (T + H - B) / 2;
    const svg = root.querySelector("svg");
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    svg.innerHTML = [
      `<rect class="frame" x="${L}" y="${T}" width="${W - L - R}" height="${H - T - B}"/>`,
      ...ticks(x0, x1).map(whole).map((t) => `<text x="${sx(t)}" y="${H - B + 20}" text-anchor="middle">${+t.toFixed(2)}</text>`),
      ...ticks(y0, y1).map((t) => `<text x="${L - 6}" y="${sy(t) + 4}" text-anchor="end">${+t.toFixed(2)}</text>`),
      `<text x="${(L + W - R) / 2}" y="${H - 6}" text-anchor="middle">${escape(d.xlabel)}</text>`,
      `<text x="16" y="${middle}" text-anchor="middle" transform="rotate(-90 16 ${middle})">${escape(d.ylabel)}</text>`,
      `<clipPath id="sliderfig-${index}"><rect x="${L}" y="${T}" width="${W - L - R}" height="${H - T - B}"/></clipPath>`,
      `<g clip-path="url(#sliderfig-${index})">`,
      ...d.fixed.map((f, i) => `<path class="fixed dash${i % 4}" d="${path(f.curve)}"/>`),
      ...d.families.map((f, i) => `<path class="curve family${i % 4}"/>`),
      "</g>",
    ].join("");
    const named = [
      ...d.families.map((f, i) => [f.label, `curve family${i % 4}`]),
      ...d.fixed.map((f, i) => [f.label, `fixed dash${i % 4}`]),
    ].filter(([label]) => label);
    if (named.length) {
      const key = document.createElement("p");
      key.className = "sliderfig-key";
      key.innerHTML = named.map(([label, style]) =>
        `<span><svg viewBox="0 0 28 8" aria-hidden="true"><path class="${style}" d="M0,4L28,4"/></svg> ${escape(label)}</span>`).join(" ");
      root.insertBefore(key, root.querySelector("label"));
    }
    const curves = [...svg.querySelectorAll(".curve")];
    const input = root.querySelector("input"), output = root.querySelector("output");
    const show = () => {
      const k = +input.value;
      d.families.forEach((f, i) => curves[i].setAttribute("d", path(f.curves[k])));
      output.textContent = `${d.name} = ${d.values[k]}`;
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", show);
    show();
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".sliderfig").forEach(draw));
})();
