// The explorer: sliders over tables of numbers that Python computed (marginloss.companion.explorer). Between two nodes of a table
// the script interpolates linearly; it knows no formula of its own.
(function () {
  "use strict";
  const FINER = 6;  // pixels of a map between two numbers of its table

  // position of a value between the nodes of a control: index of the lower node and the fraction above it
  function place(values, value) {
    let i = 0;
    while (i < values.length - 2 && value >= values[i + 1]) i++;
    return [i, (value - values[i]) / (values[i + 1] - values[i])];
  }

  // corners of the table around the current state, each with its share
  function corners(by, nodes, state) {
    let found = [[0, 1]];
    by.forEach(key => {
      const values = nodes[key], [i, f] = place(values, state[key]);
      found = found.flatMap(([index, share]) => [[index * values.length + i, share * (1 - f)], [index * values.length + i + 1, share * f]]);
    });
    return found.filter(([, share]) => share > 0);
  }
  const blend = (table, found) => table[found[0][0]].map((_, k) => found.reduce((sum, [index, share]) => sum + share * table[index][k], 0));

  function curves(panel, nodes) {
    const view = draw.axes({ ...panel, x: [panel.x[0], panel.x[panel.x.length - 1]], y: panel.ylim });
    const show = state => view.show(panel.curves.map(c => view.line(panel.x, blend(c.table, corners(c.by, nodes, state)), `tone${c.tone}`)).join(""));
    return { elements: [view.svg, draw.key(panel.curves.map(c => [c.label, `tone${c.tone}`]))], show };
  }

  function image(panel, nodes) {
    const view = draw.axes({ ...panel, x: panel.xlim, y: panel.ylim, width: 640, height: 400 });
    const [rows, columns] = panel.shape, size = rows * columns, all = Uint8Array.from(atob(panel.bytes), c => c.charCodeAt(0));
    const key = draw.node("p", { class: "key", "aria-live": "polite" }), wide = (columns - 1) * FINER, high = (rows - 1) * FINER;
    const show = state => {
      const found = corners(panel.by, nodes, state), low = new Float64Array(size), fine = new Uint8Array(wide * high);
      found.forEach(([index, share]) => { for (let i = 0; i < size; i++) low[i] += share * all[index * size + i]; });
      for (let r = 0; r < high; r++) {
        const i = Math.floor(r / FINER), v = (r % FINER) / FINER;
        for (let c = 0; c < wide; c++) {
          const j = Math.floor(c / FINER), u = (c % FINER) / FINER, at = i * columns + j;
          fine[r * wide + c] = (1 - v) * ((1 - u) * low[at] + u * low[at + 1]) + v * ((1 - u) * low[at + columns] + u * low[at + columns + 1]);
        }
      }
      let mark = "";
      if (panel.marks) {
        // a minimiser may jump between two nodes of the table: show the nearest node's, never a blend of two
        const nearest = found.reduce((best, corner) => corner[1] > best[1] ? corner : best)[0], [x, y, value] = panel.marks[nearest];
        mark = draw.mark("circle", view.sx(x), view.sy(y), 7, "ball");
        key.textContent = `${panel.markLabel}: (${draw.fixed(x, 3)}, ${draw.fixed(y, 3)}), ${draw.number(value)}`;
      }
      view.show(view.picture(fine, wide, high, draw.tone) + mark);
    };
    return { elements: [view.svg, key], show };
  }

  function build(root) {
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    root.querySelector(".still").remove();
    const nodes = Object.fromEntries(data.controls.map(c => [c.key, c.values])), bars = [], state = {};
    const groups = data.groups.map(panels => {
      const views = panels.map(panel => ({ ...(panel.kind === "image" ? image : curves)(panel, nodes), by: panel.kind === "image" ? panel.by : panel.curves.flatMap(c => c.by) }));
      return { views, needs: data.controls.filter(c => views.some(view => view.by.includes(c.key))) };
    });
    const redraw = key => groups.forEach(g => g.views.filter(v => key === null || v.by.includes(key)).forEach(v => v.show(state)));
    const all = groups.flatMap(g => g.needs);
    groups.forEach(group => {
      // a control that two groups need stands in both, and moves in both
      const bar = draw.controls(group.needs.map(c => ({ key: c.key, label: c.label, values: c.stops, start: c.start, show: v => draw.number(v, 4) })), "", (values, key) => {
        if (key === null || state[key] === values[key]) return;
        state[key] = values[key];
        bars.filter(other => other !== bar && key in other.values).forEach(other => other.set(key, values[key]));
        redraw(key);
      });
      Object.assign(state, bar.values);
      bars.push(bar);
      const section = draw.node("section", { class: group.views.length > 1 ? "several" : "single" });
      section.append(bar.bar, draw.panels(...group.views.map(v => v.elements)));
      root.append(section);
    });
    const reset = bars[0].button("start again", () => {
      all.forEach(c => bars.filter(bar => c.key in bar.values).forEach(bar => bar.set(c.key, c.start)));
      Object.assign(state, ...bars.map(bar => bar.values));
      redraw(null);
    });
    reset.title = "all controls as they were";
    redraw(null);
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".explorer").forEach(build));
})();
