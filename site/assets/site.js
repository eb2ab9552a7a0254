// Ticks, progress, filters, sorting and keys. Everything else on the site works without this file.
(() => {
  "use strict";
  const KEY = "annot-ticks";
  const zh = document.documentElement.lang.startsWith("zh");
  const say = (chinese, english) => (zh ? chinese : english);
  const make = (tag, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  // ---- ticks: { anchor id: day } ---------------------------------------------------------------------------
  const load = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) || "{}");
      return new Map(Object.entries(kept.read || {}).filter(([id, day]) => valid(id, day)));
    } catch {
      return new Map();
    }
  };
  const valid = (id, day) => /^[a-z0-9-]{1,80}$/.test(id) && /^\d{4}-\d\d-\d\d$/.test(day);
  const file = () => ({ format: "annot-ticks", schema: 1, read: Object.fromEntries([...read].sort()) });
  const save = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(file()));
    } catch {
      /* a browser that keeps nothing: ticks last as long as the page */
    }
  };
  let read = load();
  const today = () => {
    const now = new Date();
    return new Date(now - now.getTimezoneOffset() * 60000).toISOString().slice(0, 10);
  };
  const setTick = (id, on) => {
    if (on) read.set(id, today());
    else read.delete(id);
    save();
    show();
  };

  const show = () => {
    for (const box of document.querySelectorAll(".an-tick input")) box.checked = read.has(box.value);
    for (const place of document.querySelectorAll("[data-progress]")) {
      const ids = place.dataset.progress.split(" ").filter(Boolean);
      const done = ids.filter((id) => read.has(id)).length;
      place.hidden = ids.length === 0;
      place.replaceChildren(
        make("progress", { max: ids.length, value: done, ariaLabel: say("已读", "read") }),
        say(`已读 ${done} / ${ids.length}`, `${done} of ${ids.length} read`),
      );
    }
  };

  const addTicks = () => {
    for (const card of document.querySelectorAll(".an-card[data-anchor]")) {
      const heading = document.getElementById(card.dataset.anchor);
      if (!heading) continue;
      const box = make("input", { type: "checkbox", value: card.dataset.anchor });
      box.addEventListener("change", () => setTick(box.value, box.checked));
      const label = make("label", { className: "an-tick" }, box, say("已读", "read"));
      card.querySelector(".an-meta").append(label);
    }
  };

  const addTools = () => {
    for (const place of document.querySelectorAll("[data-tools]")) {
      const said = make("span", { role: "status" });
      const out = make("button", { className: "an-button an-plain", type: "button", textContent: say("导出已读", "Export ticks") });
      out.addEventListener("click", () => {
        const blob = new Blob([JSON.stringify(file(), null, 2) + "\n"], { type: "application/json" });
        const link = make("a", { href: URL.createObjectURL(blob), download: "annot-ticks.json" });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
      const chooser = make("input", { type: "file", accept: ".json,application/json", hidden: true });
      chooser.addEventListener("change", async () => {
        try {
          const given = JSON.parse(await chooser.files[0].text());
          if (given.format !== "annot-ticks" || given.schema !== 1) throw new Error("format");
          const pairs = Object.entries(given.read).filter(([id, day]) => valid(id, day));
          for (const [id, day] of pairs) if (!read.has(id)) read.set(id, day);
          save();
          show();
          said.textContent = say(`导入了 ${pairs.length} 个勾`, `${pairs.length} ticks imported`);
        } catch {
          said.textContent = say("这不是 annot 的已读文件", "this is no file of annot ticks");
        }
        chooser.value = "";
      });
      const into = make("button", { className: "an-button an-plain", type: "button", textContent: say("导入", "Import") });
      into.addEventListener("click", () => chooser.click());
      place.append(out, into, chooser, said);
      place.hidden = false;
    }
  };

  // ---- the table: filters and sorting ----------------------------------------------------------------------
  const addFilters = () => {
    for (const place of document.querySelectorAll("[data-filters]")) {
      const table = document.getElementById(place.dataset.filters);
      const rows = [...table.tBodies[0].rows].filter((row) => row.dataset.outcome);
      if (rows.length === 0) continue;
      const text = make("input", { type: "search", placeholder: say("筛选…", "Filter…"), ariaLabel: say("筛选", "Filter") });
      const boxes = [];
      const count = make("span", { className: "an-dim", role: "status" });
      const apply = () => {
        const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const row of rows) {
          const kept = boxes.every((box) => box.checked || row.dataset[box.name] !== box.value);
          const content = row.textContent.toLowerCase();
          row.hidden = !kept || !words.every((word) => content.includes(word));
          shown += !row.hidden;
        }
        count.textContent = `${shown} / ${rows.length}`;
      };
      place.append(text);
      for (const name of ["outcome", "upstream"]) {
        const values = [...new Set(rows.map((row) => row.dataset[name]))];
        if (values.length < 2) continue;
        for (const value of values) {
          const row = rows.find((each) => each.dataset[name] === value);
          const shown = name === "outcome" ? row.querySelector(".an-badge").cloneNode(true) : value;
          const box = make("input", { type: "checkbox", name, value, checked: true });
          boxes.push(box);
          place.append(make("label", {}, box, shown));
        }
      }
      place.append(count);
      place.addEventListener("input", apply);
      place.hidden = false;
      apply();
    }
  };

  const addSorting = () => {
    for (const table of document.querySelectorAll(".an-sortable")) {
      const heads = [...table.tHead.rows[0].cells];
      heads.forEach((head, column) => {
        const button = make("button", { type: "button" }, ...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const up = head.getAttribute("aria-sort") !== "ascending";
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", up ? "ascending" : "descending");
          const key = (row) => row.cells[column].dataset.sort || row.cells[column].textContent.trim();
          const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
          const rows = [...table.tBodies[0].rows].sort((a, b) => order.compare(key(a), key(b)));
          table.tBodies[0].append(...(up ? rows : rows.reverse()));
        });
      });
    }
  };

  // ---- keys ------------------------------------------------------------------------------------------------
  let current = -1;
  const cards = () => [...document.querySelectorAll(".an-card[data-anchor]")];
  const headingOf = (card) => document.getElementById(card.dataset.anchor);
  const nearest = () => {
    const all = cards();
    if (current >= 0) return all[current];
    return all.find((card) => headingOf(card).getBoundingClientRect().top > 40) || all[0];
  };
  const go = (step) => {
    const all = cards();
    if (all.length === 0) return;
    current = Math.min(all.length - 1, Math.max(0, current + step));
    document.querySelectorAll(".an-current").forEach((each) => each.classList.remove("an-current"));
    const heading = headingOf(all[current]);
    heading.classList.add("an-current");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: "start" });
  };
  const actions = {
    j: () => go(1),
    k: () => go(-1),
    o: (card) => card.querySelector(".an-open")?.click(),
    d: (card) => {
      const details = card.querySelector(".an-difference");
      if (details) details.open = !details.open;
    },
    x: (card) => setTick(card.dataset.anchor, !read.has(card.dataset.anchor)),
  };
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const action = actions[event.key];
    const card = action && nearest();
    if (!card) return;
    event.preventDefault();
    action(card);
  };

  // ---- the theme's search ----------------------------------------------------------------------------------
  const mendSearch = () => {
    // A dialog without a name.
    document.querySelector(".md-search")?.setAttribute("aria-label", say("搜索", "Search"));
    // It looks when a key is released; text also comes without keys: pasted, picked from an input method with the
    // mouse, dictated.
    const box = document.querySelector(".md-search__input");
    box?.addEventListener("input", () => box.dispatchEvent(new KeyboardEvent("keyup")));
  };

  mendSearch();
  addTicks();
  addTools();
  addFilters();
  addSorting();
  show();
  document.addEventListener("keydown", onKey);
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) {
      read = load();
      show();
    }
  });
})();
