// Report of a batch: rank correlations, scatter of a pair, distributions, worst worlds.
class Report {
  constructor(head, host) {
    Object.assign(this, { head, metric: head.shown[0], setting: head.shown[1] });
    this.settings = head.settings.map((one) => ({ ...one, values: head.array(one.values) }));
    this.metrics = head.metrics.map((one) => ({ ...one, values: head.array(one.values) }));
    this.world = head.array(head.world);
    this.rho = head.array(head.correlations);
    this.films = new Map(head.films.map((film) => [film.world, URL.createObjectURL(new Blob([head.array(film.data)], { type: film.type }))]));
    this.chart = element("figure", { className: "chart" });
    this.spread = element("div", { className: "spread" });
    this.worst = element("div");
    host.append(element("p", { className: "lead" }, head.summary));
    if (this.settings.length && this.metrics.length) host.append(this.correlations());
    host.append(element("div", { className: "columns" }, this.chart, this.spread), this.worst);
    if (this.metrics.length) this.draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  correlations() {
    const filter = element("input", { type: "search", placeholder: "filter metrics", "aria-label": "Filter metrics" });
    const head = element("tr", {}, element("th", { scope: "col" }, filter), ...this.settings.map((one) => element("th", { scope: "col", title: one.name }, named(one.short))));
    this.cells = [];
    const rows = this.metrics.map((metric, i) => element("tr", {}, element("th", { scope: "row", title: metric.name }, named(metric.short)),
      ...this.settings.map((_, j) => this.cell(i, j))));
    filter.addEventListener("input", () => rows.forEach((row, i) => (row.hidden = !this.metrics[i].name.includes(filter.value))));
    const table = element("table", { className: "rho" }, element("caption", {}, "Rank correlation of each metric with each setting; choose one to draw it"), element("thead", {}, head), element("tbody", {}, ...rows));
    return element("div", { className: "scroll tall" }, table);
  }

  cell(i, j) {
    const value = this.rho[i * this.settings.length + j], button = element("button", { textContent: Number.isNaN(value) ? "" : value.toFixed(2).replace("-", "−") });
    button.style.background = Number.isNaN(value) ? "transparent" : `rgba(${value > 0 ? "224,49,49" : "28,126,214"},${(0.9 * Math.abs(value)).toFixed(3)})`;
    if (Math.abs(value) > 0.6) button.style.color = "#fff";
    button.setAttribute("aria-label", `${this.metrics[i].short} against ${this.settings[j].short}: ${number(value, 2)}`);
    button.addEventListener("click", () => { this.metric = i; this.setting = j; this.draw(); });
    (this.cells[i] ??= [])[j] = button;
    return element("td", {}, button);
  }

  draw() {
    this.cells?.forEach((row, i) => row.forEach((button, j) => button.setAttribute("aria-pressed", String(i === this.metric && j === this.setting))));
    if (this.settings.length) this.scatter();
    this.distributions();
    this.list();
  }

  scatter() {
    const x = this.settings[this.setting], y = this.metrics[this.metric], ink = variable("--ink"), faint = variable("--line");
    const order = [...x.values.keys()].filter((i) => Number.isFinite(x.values[i]) && Number.isFinite(y.values[i])).sort((a, b) => x.values[a] - x.values[b]);
    const xs = Float64Array.from(order, (i) => x.values[i]), ys = Float64Array.from(order, (i) => y.values[i]);
    const log = xs[0] > 0 && xs[xs.length - 1] / xs[0] > 50, axis = { stroke: ink, grid: { stroke: faint }, ticks: { stroke: faint }, font: "11px system-ui, sans-serif" };
    this.plot?.destroy();
    this.chart.replaceChildren(element("figcaption", {}, named(y.short), element("small", {}, ` [${y.unit}] against `), named(x.short), log ? element("small", {}, " (logarithmic)") : null));
    this.plot = new uPlot({
      width: Math.min(760, Math.max(300, innerWidth - 40)), height: 320, legend: { show: false }, cursor: { drag: { x: true, y: true } },
      scales: { x: { time: false, distr: log ? 3 : 1 } }, axes: [{ ...axis }, { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => number(tick)) }],
      series: [{}, { paths: () => null, points: { show: true, size: 5, width: 0, fill: "#1f77d0a0", stroke: "transparent" } }],
    }, [xs, ys], this.chart);
    this.points = order.length;
  }

  distributions() {
    const metric = this.metrics[this.metric], values = [...metric.values].filter(Number.isFinite).sort((a, b) => a - b);
    const at = (share) => values[Math.round(share * (values.length - 1))], bins = 24, low = values[0], wide = values[values.length - 1] - low || 1;
    const counts = new Array(bins).fill(0);
    for (const value of values) counts[Math.min(bins - 1, Math.floor(((value - low) / wide) * bins))] += 1;
    const most = Math.max(...counts, 1), bars = element("div", { className: "bars", role: "img", "aria-label": `Distribution of ${metric.short}` });
    for (const count of counts) {
      const bar = element("span", { title: `${count} worlds` });
      bar.style.height = `${(100 * count) / most}%`;
      bars.append(bar);
    }
    const rows = [["least", at(0)], ["5 %", at(0.05)], ["median", at(0.5)], ["95 %", at(0.95)], ["greatest", at(1)], ["worlds", values.length]];
    this.spread.replaceChildren(element("h3", {}, "Distribution of ", named(metric.short)), bars,
      element("div", { className: "ends" }, element("span", {}, number(low, 5)), element("span", {}, number(low + wide, 5))),
      element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, number(value, 5))])));
  }

  // A closed film stands still.
  film(i, open) {
    const world = this.world[i], metric = this.metrics[this.metric], command = this.head.command.replace("WORLD", world);
    const image = element("img", { src: this.films.get(world), alt: `Film of world ${world}`, width: 320, height: 240 });
    return element("figure", {}, element("details", { open }, element("summary", {}, `world ${world}: `, named(metric.short), ` ${number(metric.values[i])} ${metric.unit}`), image),
      element("figcaption", {}, element("code", {}, command)));
  }

  list() {
    const metric = this.metrics[this.metric], { command } = this.head;
    const order = [...metric.values.keys()].filter((i) => Number.isFinite(metric.values[i])).sort((a, b) => metric.values[b] - metric.values[a]).slice(0, 12);
    const shown = this.settings.slice(0, 12);
    const rows = order.map((i) => [String(this.world[i]), metric.values[i], command.replace("WORLD", this.world[i]), ...shown.map((one) => one.values[i])]);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const films = order.filter((i) => this.films.has(this.world[i])).map((i) => this.film(i, !still));
    this.worst.replaceChildren(element("div", { className: "films" }, ...films), sortable(["world", metric.short, "repeat this world", ...shown.map((one) => one.short)], rows, `Worlds with the greatest ${metric.short}`, 5));
  }
}
