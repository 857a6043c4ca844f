// ledger.js: filter the entries of a page by paper, verdict and words; no dependency, no network.
// The state of the filter is in the address (?paper=…&verdict=…&words=…), so that a link keeps it.
(function () {
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form.ledger-filter");
    if (!form) return;
    const entries = [...document.querySelectorAll(".ledger-entry")].map(node => ({
      node, place: node.dataset.place.toLowerCase(), text: node.textContent.toLowerCase(),
    }));
    const sections = new Set(entries.map(entry => entry.node.closest("section")));
    const output = form.querySelector("output");
    const fields = ["paper", "verdict", "words"].map(name => form.elements[name]);
    // from the beginning of a word; a number to its end, so that "Theorem 1" is not Theorem 11
    const finder = words => {
      const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}${/\p{N}$/u.test(words) ? "(?![\\p{N}]|\\.\\p{N})" : ""}`, "u");
    };
    const found = (among, words) => {
      const each = words.split(" ").map(finder);
      const tiers = [
        entry => finder(words).test(entry.place),
        entry => each.every(word => word.test(entry.place)),
        entry => finder(words).test(entry.text),
        entry => each.every(word => word.test(entry.text)),
      ];
      return tiers.map(tier => among.filter(tier)).find(some => some.length) || [];
    };
    const show = () => {
      const [paper, verdict, typed] = fields.map(field => field.value);
      const among = entries.filter(({ node }) => (!paper || node.dataset.paper === paper)
        && (!verdict || node.dataset.verdict === verdict));
      const words = typed.toLowerCase().trim().replace(/\s+/g, " ");
      const shown = new Set(words ? found(among, words) : among);
      for (const entry of entries) entry.node.hidden = !shown.has(entry);
      for (const section of sections) section.hidden = !section.querySelector(".ledger-entry:not([hidden])");
      output.textContent = `${shown.size} of ${entries.length} entries`;
    };
    const store = () => {
      const query = new URLSearchParams(fields.filter(field => field.value).map(field => [field.name, field.value]));
      history.replaceState(null, "", `${location.pathname}${String(query) && `?${query}`}${location.hash}`);
    };
    const restore = () => {
      const query = new URLSearchParams(location.search);
      for (const field of fields) field.value = query.get(field.name) || "";
      show();
    };
    // a link to an entry must show it, whatever the filter was
    const arrive = () => {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target || !target.matches(".ledger-entry")) return;
      if (target.hidden) { form.reset(); show(); store(); }
      target.scrollIntoView();
    };
    form.addEventListener("input", () => { show(); store(); });
    form.addEventListener("submit", event => event.preventDefault());
    window.addEventListener("hashchange", arrive);
    window.addEventListener("popstate", restore);
    form.hidden = false;
    restore();
    arrive();
  });
})();
