// Slider figures: tables of numbers computed in Python, drawn here. No formula, no dependency, no network.
(function () {
  "use strict";
  function build(root, index) {
    const d = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const old = root.querySelector(".still"), input = root.querySelector("input"), output = root.querySelector("output");
    const view = draw.axes({ x: d.xlim, y: d.ylim, xlabel: d.xlabel, ylabel: d.ylabel, width: 640, height: 340, label: old.alt });
    old.replaceWith(view.svg);
    root.querySelector("label").hidden = false;
    const named = [...d.families.map((f, i) => [f.label, `family${i % 4}`]), ...d.fixed.map((f, i) => [f.label, `fixed dash${i % 4}`])].filter(([label]) => label);
    if (named.length) root.insertBefore(draw.key(named), root.querySelector("label"));
    const where = draw.address(""), name = `slider${index + 1}`, start = input.value;
    const show = () => {
      const k = +input.value;
      view.show(d.fixed.map((f, i) => view.line(d.x, f.curve, `fixed dash${i % 4}`)).join("") + d.families.map((f, i) => view.line(d.x, f.curves[k], `family${i % 4}`)).join(""));
      output.textContent = `${d.name} = ${d.values[k]}`;
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => { where.set({ [name]: input.value === start ? null : d.values[+input.value] }); show(); });
    const asked = d.values.indexOf(where.get(name));
    if (asked >= 0) input.value = asked;
    show();
  }
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".sliderfig").forEach(build));
})();
