// What every page does beside its figures: cards of references, figures enlarged at a tap, formulas that fit on paper, and
// search results that quote sentences. Without scripts links still lead where they lead.
(function () {
  "use strict";
  const make = (tag, attributes, ...inside) => {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...inside);
    return element;
  };

  // A card shows what a reference leads to: under the pointer, with the focus, or at the first tap.
  function cards(store) {
    const card = make("div", { class: "card-shown", id: "card-shown", role: "tooltip", hidden: "" });
    let owner = null, timer = 0, finger = false;
    document.body.append(card);
    const hide = () => {
      clearTimeout(timer);
      card.hidden = true;
      if (owner) owner.removeAttribute("aria-describedby");
      owner = null;
    };
    async function show(link) {
      clearTimeout(timer);
      if (owner === link) return;
      const content = store.content.getElementById(link.dataset.card).cloneNode(true), mathematics = content.querySelector(".math");
      if (mathematics && !(window.MathJax && MathJax.typesetPromise)) return;
      hide();
      owner = link;
      card.replaceChildren(...content.childNodes);
      if (finger) card.append(make("p", { class: "card-more" }, "Tap again to go there."));
      card.hidden = false;
      if (mathematics) { await MathJax.typesetPromise([card]); fit(card); }
      if (owner !== link) return;
      link.setAttribute("aria-describedby", card.id);
      const box = link.getBoundingClientRect(), wide = document.documentElement.clientWidth, below = box.bottom + card.offsetHeight + 8 < window.innerHeight;
      card.style.left = `${window.scrollX + Math.max(8, Math.min(box.left, wide - card.offsetWidth - 8))}px`;
      card.style.top = `${window.scrollY + (below || box.top < card.offsetHeight + 60 ? box.bottom + 6 : box.top - card.offsetHeight - 6)}px`;
    }
    const later = (act, wait) => { clearTimeout(timer); timer = setTimeout(act, wait); };
    document.querySelectorAll("a[data-card]").forEach(link => {
      link.addEventListener("pointerdown", event => { finger = event.pointerType === "touch"; });
      link.addEventListener("pointerenter", event => { if (event.pointerType !== "touch") { finger = false; later(() => show(link), 250); } });
      link.addEventListener("pointerleave", event => { if (event.pointerType !== "touch") later(hide, 250); });
      link.addEventListener("focus", () => { if (!finger) show(link); });
      link.addEventListener("blur", () => { if (!finger) hide(); });
      link.addEventListener("click", event => { if (finger && owner !== link) { event.preventDefault(); show(link); } else hide(); });
    });
    card.addEventListener("pointerenter", () => clearTimeout(timer));
    card.addEventListener("pointerleave", event => { if (event.pointerType !== "touch") later(hide, 250); });
    document.addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
    document.addEventListener("pointerdown", event => { if (owner && !card.contains(event.target) && !owner.contains(event.target)) hide(); });
  }

  // A figure opens over the whole window, at least as wide as it was drawn: on a phone it is moved with a finger.
  function enlarge(image) {
    const close = make("button", { type: "button", class: "close", "aria-label": "close" }, "×");
    const shown = make("dialog", { class: "enlarged", "aria-label": "the figure, enlarged" }, close, make("div", { tabindex: 0 }, make("img", { src: image.src, alt: image.alt })));
    shown.addEventListener("click", event => { if (event.target !== shown.querySelector("img")) shown.close(); });
    shown.addEventListener("close", () => shown.remove());
    document.body.append(shown);
    shown.showModal();
    close.focus();
  }
  function enlargeable(figure) {
    const image = figure.querySelector(":scope > img, :scope > a > img");
    if (!image || image.closest("a")) return;
    const button = make("button", { type: "button", class: "enlarge", "aria-label": "enlarge the figure", title: "enlarge" }, "⤢");
    button.addEventListener("click", () => enlarge(image));
    image.addEventListener("click", () => enlarge(image));
    image.after(button);
  }

  // On paper, and in a card, a formula cannot scroll: one that is too wide gets smaller letters.
  function fit(root) {
    root.querySelectorAll("div.math").forEach(box => {
      const formula = box.querySelector("mjx-container[display='true']"), row = formula && formula.querySelector("mjx-math");
      if (!formula) return;
      formula.style.fontSize = "";
      const ratio = box.clientWidth / Math.max(box.scrollWidth, formula.scrollWidth, row.scrollWidth);
      if (ratio < 0.995) formula.style.fontSize = `${Math.floor(parseFloat(getComputedStyle(formula).fontSize) * ratio * 0.98 * 10) / 10}px`;
    });
  }
  const unfit = () => document.querySelectorAll("article mjx-container").forEach(formula => { formula.style.fontSize = ""; });

  // Search results quote what was written: the article, without code. In a folder pages cannot be read for quotations.
  if (typeof Search !== "undefined" && Search.htmlToText) {
    const plain = Search.htmlToText;
    Search.htmlToText = (text, anchor) => {
      const page = new DOMParser().parseFromString(text, "text/html"), article = page.querySelector("article");
      if (!article) return "";
      article.querySelectorAll(".cell, pre, template, .admonition-title").forEach(part => part.remove());
      article.setAttribute("role", "main");
      return plain(article.outerHTML, anchor);
    };
    if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("article template.cards").forEach(cards);
    document.querySelectorAll("article figure").forEach(enlargeable);
    matchMedia("print").addEventListener("change", paper => (paper.matches ? fit(document) : unfit()));
  });
})();
