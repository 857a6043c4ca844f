// ledger.js: filter the entries of a page by paper, verdict and words; no dependency, no network
(function () {
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form.ledger-filter");
    if (!form) return;
    const entries = [...document.querySelectorAll(".ledger-entry")].map(node => ({ node, text: node.textContent.toLowerCase() }));
    const sections = new Set(entries.map(entry => entry.node.closest("section")));
    const output = form.querySelector("output");
    const show = () => {
      const { paper, verdict, words } = form.elements;
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const { node, text } of entries) {
        const match = (!paper.value || node.dataset.paper === paper.value)
          && (!verdict.value || node.dataset.verdict === verdict.value)
          && wanted.every(word => text.includes(word));
        node.hidden = !match;
        count += match;
      }
      for (const section of sections) section.hidden = !section.querySelector(".ledger-entry:not([hidden])");
      output.textContent = `${count} of ${entries.length} entries`;
    };
    // a link to an entry must show it, whatever the filter was
    const arrive = () => {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target || !target.matches(".ledger-entry")) return;
      if (target.hidden) { form.reset(); show(); }
      target.scrollIntoView();
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", event => event.preventDefault());
    window.addEventListener("hashchange", arrive);
    form.hidden = false;
    show();
    arrive();
  });
})();
